import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("share(replay:grace:scheduler:options:)")
struct ShareWithGraceTests {
    private let scheduler = TestScheduler()
    private let probe = ProbePublisher<Int, TestError>(retention: .always)

    private typealias Shared = Operators.ShareWithGrace<ProbePublisher<Int, TestError>, TestScheduler>

    private func shared(replay count: Int = 0) -> Shared {
        probe.share(replay: count, grace: .seconds(10), scheduler: scheduler)
    }

    private func recorder() -> RecordingSubscriber<Int, TestError> { RecordingSubscriber() }

    @Test("A subscriber within the grace shares the same upstream subscription")
    func keepsTheUpstreamForTheNextSubscriber() {
        let shared = shared(replay: 1)
        let (first, second) = (recorder(), recorder())
        shared.subscribe(first)
        probe.send(1)
        first.cancel()
        scheduler.advance(by: .seconds(9))
        probe.send(2)
        shared.subscribe(second)
        probe.send(3)
        #expect(first.values == [1])
        #expect(second.events == [.subscription("ShareWithGrace"), .value(2), .value(3)])
        #expect(probe.commands == [[.request(.unlimited)]])
        scheduler.advance(by: .seconds(60))
        #expect(probe.commands == [[.request(.unlimited)]])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("Cancels the upstream when the grace ends without a subscriber")
    func cancelsAfterTheGrace() {
        let shared = shared(replay: 1)
        let (first, second) = (recorder(), recorder())
        shared.subscribe(first)
        probe.send(1)
        first.cancel()
        scheduler.advance(by: .milliseconds(9_999))
        #expect(probe.commands == [[.request(.unlimited)]])
        scheduler.advance(by: .milliseconds(1))
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
        shared.subscribe(second)
        #expect(second.values == [])
        #expect(probe.subscriptionCount == 2)
        #expect(scheduler.pendingCount == 0)
    }

    @Test("Each departure of the last subscriber starts a whole grace")
    func restartsTheGrace() {
        let shared = shared()
        for _ in 1...3 {
            let subscriber = recorder()
            shared.subscribe(subscriber)
            subscriber.cancel()
            scheduler.advance(by: .seconds(6))
        }
        #expect(probe.commands == [[.request(.unlimited)]])
        scheduler.advance(by: .seconds(4))
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test("A completion within the grace is kept for later subscribers")
    func keepsTheCompletion() {
        let shared = shared(replay: 1)
        let (first, late) = (recorder(), recorder())
        shared.subscribe(first)
        first.cancel()
        probe.send(1)
        probe.send(completion: .failure(.first))
        scheduler.advance(by: .seconds(60))
        #expect(scheduler.pendingCount == 0)
        shared.subscribe(late)
        #expect(late.events == [.subscription("ShareWithGrace"), .value(1), .failure(.first)])
        #expect(probe.subscriptionCount == 1)
    }

    @Test("The upstream is cancelled after the grace also if the publisher is gone")
    func outlivesThePublisher() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<Int, TestError>()
        do {
            let token = lifetimes.token("closure")
            let subscriber = recorder()
            probe.handleEvents(receiveOutput: { _ in withExtendedLifetime(token) {} })
                .share(grace: .seconds(10), scheduler: scheduler).subscribe(subscriber)
            subscriber.cancel()
        }
        #expect(lifetimes.alive == ["closure"])
        scheduler.advance(by: .seconds(10))
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
        #expect(lifetimes.alive == [])
    }

    @Test("Without a wait, an immediate scheduler cancels at once")
    func cancelsAtOnceOnAnImmediateScheduler() {
        let shared = probe.share(grace: .zero, scheduler: ImmediateScheduler.shared)
        for count in 1...3 {
            let subscriber = recorder()
            shared.subscribe(subscriber)
            subscriber.cancel()
            #expect(probe.commands == Array(repeating: [.request(.unlimited), .cancel], count: count))
        }
    }

    @Test("Subscribers that come and go on many threads leave one connection or none")
    func isSafeOnManyThreads() {
        let queue = DispatchQueue(label: "grace", attributes: .concurrent)
        let active = LockedValue(0)
        let cancelled = DispatchSemaphore(value: 0)
        let source = AnyPublisher<Int, Never>.create { subscriber in
            active.update { $0 += 1 }
            subscriber.send(1)
            return AnyCancellable {
                active.update { $0 -= 1 }
                cancelled.signal()
            }
        }
        let shared = source.share(replay: 1, grace: .microseconds(50), scheduler: queue)
        DispatchQueue.concurrentPerform(iterations: 2_000) { _ in
            shared.sink { _ in }.cancel()
        }
        let last = RecordingSubscriber<Int, Never>()
        shared.subscribe(last)
        #expect(active.value >= 1)
        last.cancel()
        while active.value > 0 { cancelled.wait() }
    }
}
