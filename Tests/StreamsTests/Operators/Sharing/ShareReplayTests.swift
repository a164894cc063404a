import Streams
import StreamsTesting
import Testing

@Suite("share(replay:)")
struct ShareReplayTests {
    private let probe = ProbePublisher<Int, TestError>(retention: .always)

    @Test("Who comes later gets the newest values, of the one subscription")
    func replaying() {
        let shared = probe.share(replay: 1)
        let (first, second) = (RecordingSubscriber<Int, TestError>(), RecordingSubscriber<Int, TestError>())
        shared.subscribe(first)
        probe.send(1)
        probe.send(2)
        shared.subscribe(second)
        probe.send(3)
        probe.send(completion: .finished)
        #expect(probe.commands == [[.request(.unlimited)]])
        #expect(first.events == [.subscription("ShareReplay"), .value(1), .value(2), .value(3), .finished])
        #expect(second.events == [.subscription("ShareReplay"), .value(2), .value(3), .finished])
    }

    @Test("Who comes after the end gets what is kept and the completion")
    func afterTheEnd() {
        let shared = probe.share(replay: 2)
        let (first, late) = (RecordingSubscriber<Int, TestError>(), RecordingSubscriber<Int, TestError>())
        shared.subscribe(first)
        for value in 1...3 { probe.send(value) }
        probe.send(completion: .failure(.first))
        first.cancel()
        shared.subscribe(late)
        #expect(late.events == [.subscription("ShareReplay"), .value(2), .value(3), .failure(.first)])
        #expect(probe.subscriptionCount == 1)
    }

    @Test("When all have left it is cancelled, and the next one starts anew with nothing of before")
    func startingAnew() {
        let shared = probe.share(replay: 1)
        let (first, second, third) = (
            RecordingSubscriber<Int, TestError>(), RecordingSubscriber<Int, TestError>(),
            RecordingSubscriber<Int, TestError>()
        )
        shared.subscribe(first)
        shared.subscribe(second)
        probe.send(1)
        first.cancel()
        first.cancel()
        #expect(probe.commands == [[.request(.unlimited)]])
        second.cancel()
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
        shared.subscribe(third)
        #expect(probe.subscriptionCount == 2)
        probe.send(2)
        #expect(third.values == [2])
    }

    @Test("Values kept are let go of when the last one leaves")
    func release() {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<LifetimeToken, Never>()
        let shared = subject.share(replay: 3)
        let sink = shared.sink { _ in }
        subject.send(lifetimes.token("value"))
        #expect(lifetimes.alive == ["value"])
        sink.cancel()
        #expect(lifetimes.alive == [])
        withExtendedLifetime(shared) {}
    }

    @Test("A subscription that is kept does not keep the values")
    func keptSubscription() {
        let lifetimes = LifetimeTracker()
        let kept = LockedValue<(any Subscription)?>(nil)
        do {
            let subject = PassthroughSubject<LifetimeToken, Never>()
            let subscriber = AnySubscriber<LifetimeToken, Never>(
                receiveSubscription: { subscription in
                    subscription.request(.unlimited)
                    kept.update { $0 = subscription }
                })
            subject.share(replay: 3).subscribe(subscriber)
            subject.send(lifetimes.token("value"))
            subject.send(completion: .finished)
        }
        #expect(kept.value != nil)
        #expect(lifetimes.alive == [])
    }

    @Test("Whoever cancels on subscription does not connect")
    func cancellingOnSubscription() {
        let subscriber = AnySubscriber<Int, TestError>(receiveSubscription: { $0.cancel() })
        probe.share(replay: 1).subscribe(subscriber)
        #expect(probe.subscriptionCount == 0)
    }

    @Test("A sequence is replayed to whoever comes")
    func sequence() {
        let shared = [1, 2, 3].publisher.share(replay: 2)
        let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
        shared.subscribe(first)
        shared.subscribe(second)
        #expect(first.values == [1, 2, 3])
        #expect(second.events == [.subscription("ShareReplay"), .value(2), .value(3), .finished])
    }

    @Test("It is equal only to itself")
    func equality() {
        let shared = probe.share(replay: 1)
        #expect(shared == shared)
        #expect(shared != probe.share(replay: 1))
    }

    @Test("Coming and going on many threads leaves no connection behind")
    func concurrency() {
        let (connections, disconnections) = (Counter(), Counter())
        let upstream = PassthroughSubject<Int, Never>()
        let watched = upstream.handleEvents(
            receiveSubscription: { _ in connections.increment() }, receiveCancel: { disconnections.increment() })
        let shared = watched.share(replay: 1)
        concurrently(4) { _ in
            for _ in 0..<300 { shared.sink { _ in }.cancel() }
        }
        #expect(connections.value > 0)
        #expect(connections.value == disconnections.value)
    }
}
