import Streams
import StreamsTesting
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite("Signals", .serialized, .timeLimit(.minutes(15)))
struct SignalsTests {
    typealias Recorder = RecordingSubscriber<Int32, Never>

    /// Sends a signal to this process.
    private func send(_ number: Int32) {
        #expect(kill(getpid(), number) == 0)
    }

    @Test func deliversTheNumberOfEachSignal() async {
        let recorder = Recorder()
        Operators.Signals(SIGUSR1, SIGUSR2).subscribe(recorder)
        for (index, number) in [SIGUSR1, SIGUSR2, SIGUSR1].enumerated() {
            send(number)
            #expect(await recorder.wait(forValues: index + 1))
        }
        #expect(recorder.values == [SIGUSR1, SIGUSR2, SIGUSR1])
        #expect(recorder.events.first == .subscription("Signals"))
        #expect(recorder.violations == [])
        recorder.cancel()
    }

    @Test func allSubscribersOfASignalReceiveIt() async {
        let (one, both) = (Recorder(), Recorder())
        Operators.Signals(SIGUSR1).subscribe(one)
        Operators.Signals([SIGUSR1, SIGUSR2, SIGUSR1]).subscribe(both)
        send(SIGUSR1)
        #expect(await one.wait(forValues: 1))
        #expect(await both.wait(forValues: 1))
        one.cancel()
        send(SIGUSR1)
        #expect(await both.wait(forValues: 2))
        send(SIGUSR2)
        #expect(await both.wait(forValues: 3))
        #expect(one.values == [SIGUSR1])
        #expect(both.values == [SIGUSR1, SIGUSR1, SIGUSR2])
        both.cancel()
    }

    @Test func signalsThatWereNotRequestedWaitOnceForEachKind() async {
        let (waiting, witness) = (Recorder(initialDemand: .none), Recorder())
        Operators.Signals(SIGUSR1, SIGUSR2).subscribe(waiting)
        Operators.Signals(SIGUSR1, SIGUSR2).subscribe(witness)
        for (index, number) in [SIGUSR2, SIGUSR1, SIGUSR2, SIGUSR1].enumerated() {
            send(number)
            #expect(await witness.wait(forValues: index + 1))
        }
        #expect(waiting.values == [])
        waiting.request(.max(1))
        #expect(waiting.values == [SIGUSR2])
        waiting.request(.max(2))
        #expect(waiting.values == [SIGUSR2, SIGUSR1])
        send(SIGUSR1)
        #expect(await waiting.wait(forValues: 3))
        #expect(waiting.violations == [])
        waiting.cancel()
        witness.cancel()
    }

    @Test func anAsynchronousSequenceReceivesSignals() async {
        var received: [Int32] = []
        send(SIGURG)
        for await number in Operators.Signals(SIGUSR1).handleEvents(receiveRequest: { _ in kill(getpid(), SIGUSR1) })
            .values
        {
            received.append(number)
            if received.count == 3 { break }
        }
        #expect(received == [SIGUSR1, SIGUSR1, SIGUSR1])
    }

    @Test func theLastCancellationRestoresTheEarlierDisposition() {
        signal(SIGUSR1, SIG_IGN)
        defer { signal(SIGUSR1, SIG_DFL) }
        for _ in 0..<3 {
            let subscribers = [Recorder(), Recorder()]
            for subscriber in subscribers { Operators.Signals(SIGUSR1).subscribe(subscriber) }
            #expect(!isIgnored())
            subscribers[0].cancel()
            #expect(!isIgnored())
            subscribers[1].cancel()
            #expect(isIgnored())
        }
    }

    @Test func aDispositionThatTheProgramHasChangedMeanwhileIsKept() {
        let recorder = Recorder()
        Operators.Signals(SIGUSR1).subscribe(recorder)
        signal(SIGUSR1, SIG_IGN)
        defer { signal(SIGUSR1, SIG_DFL) }
        recorder.cancel()
        #expect(isIgnored())
    }

    @Test func numbersThatAreNoSignalsAreIgnored() {
        let recorder = Recorder()
        Operators.Signals(-1, 0, 65, .max, .min, SIGKILL).subscribe(recorder)
        #expect(recorder.transcript == ["subscription Signals"])
        recorder.cancel()
    }

    @Test func cancellationReleasesTheSubscriber() {
        let lifetimes = LifetimeTracker()
        let keeper = Recorder(keepsSubscription: true)
        do {
            let token = lifetimes.token("closure")
            Operators.Signals(SIGUSR1).handleEvents(receiveOutput: { _ in withExtendedLifetime(token) {} })
                .subscribe(keeper)
        }
        keeper.cancel()
        #expect(lifetimes.alive == [])
    }

    @Test func theDefaultDispositionEndsTheProcessAfterTheCancellation() async {
        await #expect(processExitsWith: .signal(SIGUSR1)) {
            let subscription = Operators.Signals(SIGUSR1).sink { _ in }
            subscription.cancel()
            kill(getpid(), SIGUSR1)
            await Self.neverReturn()
        }
        // Taken once, as a program that stops on the first signal and ends on the second.
        await #expect(processExitsWith: .signal(SIGTERM)) {
            for await _ in Operators.Signals(SIGTERM).first().handleEvents(
                receiveRequest: { _ in kill(getpid(), SIGTERM) }
            ).values {}
            kill(getpid(), SIGTERM)
            await Self.neverReturn()
        }
    }

    @Test func aSignalRightAfterTheSubscriptionDoesNotEndTheProcess() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let subscription = Operators.Signals(SIGTERM).sink { _ in exit(7) }
            kill(getpid(), SIGTERM)
            await Self.neverReturn()
            subscription.cancel()
        }
    }

    /// Waits for the end of the process.
    private static func neverReturn() async {
        for await _ in Empty<Never, Never>(completeImmediately: false).values {}
    }

    /// Whether the process ignores SIGUSR1. Sets that anew, because only `signal` tells it on all platforms alike.
    private func isIgnored() -> Bool {
        let current = signal(SIGUSR1, SIG_IGN)
        signal(SIGUSR1, current)
        return unsafeBitCast(current, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
