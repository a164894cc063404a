import Streams
import StreamsTesting
import Testing

@Suite("share(replay:)")
struct ShareReplayTests {
    private let probe = ProbePublisher<Int, TestError>(retention: .always)

    @Test("Replays the newest values of the shared subscription to later subscribers")
    func replaysToLaterSubscribers() {
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

    @Test("Replays the kept values and the completion after the end")
    func replaysAfterTheEnd() {
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

    @Test("Reconnects without earlier values after the last subscriber has cancelled")
    func reconnectsWithoutEarlierValues() {
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

    @Test("Releases the kept values when the last subscriber cancels")
    func releasesValuesAfterTheLastSubscriber() {
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

    @Test("A finished subscription does not retain the values")
    func finishedSubscriptionReleasesTheValues() {
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

    @Test("Does not connect if the subscriber cancels immediately")
    func doesNotConnectIfTheSubscriberCancelsImmediately() {
        let subscriber = AnySubscriber<Int, TestError>(receiveSubscription: { $0.cancel() })
        probe.share(replay: 1).subscribe(subscriber)
        #expect(probe.subscriptionCount == 0)
    }

    @Test("Replays the newest values of a sequence to a later subscriber")
    func replaysASequence() {
        let shared = [1, 2, 3].publisher.share(replay: 2)
        let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
        shared.subscribe(first)
        shared.subscribe(second)
        #expect(first.values == [1, 2, 3])
        #expect(second.events == [.subscription("ShareReplay"), .value(2), .value(3), .finished])
    }

    @Test("A shared publisher is equal only to itself")
    func isEqualOnlyToItself() {
        let shared = probe.share(replay: 1)
        #expect(shared == shared)
        #expect(shared != probe.share(replay: 1))
    }

    @Test("Cancels every connection when many threads subscribe and cancel")
    func cancelsEveryConnection() {
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
