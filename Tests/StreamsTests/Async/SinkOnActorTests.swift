import Streams
import StreamsTesting
import Testing

@Suite("sink(on:)", .timeLimit(.minutes(15))) struct SinkOnActorTests {
    private actor Store {
        var lines: [String] = []
        let ended = CountdownLatch()

        func cancelAfterHandover(_ subscription: AnyCancellable, sending value: Int, to subject: IntSubject) {
            subject.send(value)
            subscription.cancel()
        }
    }

    @Test("Values and the completion come on the actor, in order")
    func deliversInOrder() async {
        let (store, subject) = (Store(), IntSubject())
        let subscription = subject.sink(on: store) { store, completion in
            store.assertIsolated()
            store.lines.append("\(completion == .failure(.failed))")
            store.ended.fire()
        } receiveValue: { store, value in
            store.assertIsolated()
            store.lines.append("\(value)")
        }
        onAnotherThread {
            for value in 1...3 { subject.send(value) }
            subject.send(completion: .failure(.failed))
        }
        await store.ended.wait()
        #expect(await store.lines == ["1", "2", "3", "true"])
        subscription.cancel()
    }

    @Test("Values of concurrent senders all come, each sender's in order")
    func deliversConcurrentSends() async {
        let (store, subject) = (Store(), PassthroughSubject<Int, Never>())
        let subscription = subject.map { "\($0)" }.sink(on: store) { store, line in
            store.lines.append(line)
            if line == "-1" { store.ended.fire() }
        }
        concurrently(4) { thread in
            for step in 0..<250 { subject.send(thread * 1000 + step) }
        }
        subject.send(-1)
        await store.ended.wait()
        let numbers = await store.lines.compactMap { Int($0) }
        for thread in 0..<4 {
            #expect(numbers.dropLast().filter { $0 / 1000 == thread } == (0..<250).map { thread * 1000 + $0 })
        }
        subscription.cancel()
    }

    @Test("The next value is requested when the closure has returned, which may suspend")
    func requestsAfterTheClosure() async {
        let (entered, release) = (CountdownLatch(), CountdownLatch())
        let store = Store()
        let numbers = EndlessNumbers()
        let source: ProbePublisher<Int, Never> = numbers.probe()
        let subscription = source.prefix(3).sink(on: store) { store, _ in
            store.ended.fire()
        } receiveValue: { store, value in
            store.lines.append("\(value) begins")
            if value == 1 {
                entered.fire()
                await release.wait()
            }
            store.lines.append("\(value) ends")
        }
        await entered.wait()
        #expect(numbers.taken == 2)
        #expect(await store.lines == ["0 begins", "0 ends", "1 begins"])
        release.fire()
        await store.ended.wait()
        #expect(await store.lines == ["0 begins", "0 ends", "1 begins", "1 ends", "2 begins", "2 ends"])
        subscription.cancel()
    }

    @Test("After a cancellation on the actor no closure is called")
    func deliversNothingAfterCancellation() async {
        for _ in 0..<200 {
            let (store, subject) = (Store(), IntSubject())
            let subscription = subject.sink(on: store) { store, _ in
                store.lines.append("completion")
            } receiveValue: { store, value in
                store.lines.append("\(value)")
            }
            await store.cancelAfterHandover(subscription, sending: 1, to: subject)
            subject.send(completion: .finished)
            await Task.yield()
            #expect(await store.lines == [])
        }
    }

    @Test("Releasing the result cancels on this thread and releases the closures")
    func releasingCancels() async {
        let lifetimes = LifetimeTracker()
        let (store, probe) = (Store(), IntProbe())
        let released = CountdownLatch()
        do {
            let token = ReleaseSignal { released.fire() }
            let subscription = probe.sink(on: store) { _, _ in
                Issue.record("a completion came after cancellation")
            } receiveValue: { [token] _, _ in
                withExtendedLifetime(token) {}
            }
            lifetimes.watch(subscription, as: "subscription")
        }
        #expect(lifetimes.alive == [])
        #expect(probe.cancellations == 1)
        await released.wait()
    }

    @Test("The subscription does not keep the actor alive, and ends with the signal after its release")
    func endsWithTheActor() async {
        let cancelled = CountdownLatch()
        let subject = PassthroughSubject<Int, Never>()
        let received = Counter()
        weak var released: Store?
        let subscription: AnyCancellable
        do {
            let store = Store()
            released = store
            subscription = subject.handleEvents(receiveCancel: { cancelled.fire() }).sink(on: store) { store, _ in
                received.increment()
                store.ended.fire()
            }
            subject.send(1)
            await store.ended.wait()
        }
        // The closure may still be returning.
        while released != nil { await Task.yield() }
        subject.send(2)
        await cancelled.wait()
        #expect(received.value == 1)
        withExtendedLifetime(subscription) {}
    }

    @Test("A failure that is the cancellation of another task is delivered")
    func deliversARepresentedCancellation() async {
        let store = Store()
        let subscription = Fail<Int, Cancelled>(error: Cancelled()).sink(on: store) { store, completion in
            if case .failure = completion { store.lines.append("failure") }
            store.ended.fire()
        } receiveValue: { _, _ in
        }
        await store.ended.wait()
        #expect(await store.lines == ["failure"])
        subscription.cancel()
    }
}

private struct Cancelled: CancellationRepresentable {
    static let cancellation = Cancelled()
}

/// An object that calls a closure when it is released.
private final class ReleaseSignal: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    deinit {
        action()
    }
}
