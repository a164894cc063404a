import Streams
import StreamsTesting
import Testing

@Suite("share")
struct ShareTests {
    @Test func subscribesOnceForAllSubscribers() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let shared = probe.share()
        let (first, second) = (
            RecordingSubscriber<Int, TestError>(initialDemand: .max(2)), RecordingSubscriber<Int, TestError>()
        )
        shared.subscribe(first)
        probe.send(1)
        shared.subscribe(second)
        for value in 2...3 { probe.send(value) }
        probe.send(completion: .finished)
        #expect(probe.commands == [[.request(.unlimited)]])
        #expect(first.events == [.subscription("Multicast"), .value(1), .value(2), .finished])
        #expect(second.events == [.subscription("Multicast"), .value(2), .value(3), .finished])
    }

    @Test func subscriptionIsDescribedAsMulticastAfterCompletion() {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        subject.share().subscribe(recorder)
        subject.send(completion: .finished)
        #expect(recorder.subscription.map { "\($0)" } == "Multicast")
    }

    @Test func lateSubscriberReceivesTheCompletionWithoutAnotherSubscription() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let shared = probe.share()
        let (first, late) = (RecordingSubscriber<Int, TestError>(), RecordingSubscriber<Int, TestError>())
        shared.subscribe(first)
        probe.send(completion: .failure(.first))
        first.cancel()
        shared.subscribe(late)
        #expect(late.events == [.subscription("Multicast"), .failure(.first)])
        #expect(probe.subscriptionCount == 1)
    }

    @Test func disconnectsAfterTheLastSubscriberAndConnectsForTheNext() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let shared = probe.share()
        let (first, second, third) = (
            RecordingSubscriber<Int, TestError>(), RecordingSubscriber<Int, TestError>(),
            RecordingSubscriber<Int, TestError>()
        )
        shared.subscribe(first)
        shared.subscribe(second)
        first.cancel()
        first.cancel()
        #expect(probe.commands == [[.request(.unlimited)]])
        second.cancel()
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
        shared.subscribe(third)
        probe.send(7)
        #expect(probe.subscriptionCount == 2)
        #expect(third.values == [7])
        #expect(first.values.isEmpty)
    }

    @Test("Subscribing while a connection ends starts a new connection")
    func connectsWhileAnotherConnectionEnds() {
        let upstream = ReleaseNotifyingPublisher()
        let shared = upstream.share()
        let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
        upstream.onRelease = {
            first.cancel()
            shared.subscribe(second)
        }
        shared.subscribe(first)
        upstream.subscribers[0].receive(completion: .finished)
        #expect(upstream.subscribers.count == 2)
        #expect(upstream.cancellations == 0)
        _ = upstream.subscribers[1].receive(7)
        #expect(first.events == [.subscription("Multicast")])
        #expect(second.events == [.subscription("Multicast"), .value(7)])
    }

    @Test("Subscribing while the completion of a cancelled connection is queued starts a new connection")
    func connectsWhileAnotherCompletionIsQueued() {
        let probe = ProbePublisher<Int, Never>()
        let shared = probe.share()
        let second = RecordingSubscriber<Int, Never>()
        let first = RecordingSubscriber<Int, Never> { recorder, event in
            guard event.value != nil else { return }
            probe.send(completion: .finished)
            recorder.cancel()
            shared.subscribe(second)
        }
        shared.subscribe(first)
        probe.send(1)
        probe.send(2)
        #expect(probe.commands == [[.request(.unlimited)], [.request(.unlimited)]])
        #expect(first.events == [.subscription("Multicast"), .value(1)])
        #expect(second.events == [.subscription("Multicast"), .value(2)])
    }

    @Test func doesNotConnectIfTheSubscriberCancelsImmediately() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let subscriber = AnySubscriber<Int, TestError>(receiveSubscription: { $0.cancel() })
        probe.share().subscribe(subscriber)
        #expect(probe.subscriptionCount == 0)
    }

    @Test func disconnectsIfTheLastSubscriberCancelsWhileItConnects() {
        let cancellations = Counter()
        let recorder = RecordingSubscriber<Int, Never> { recorder, event in
            if event.value != nil { recorder.cancel() }
        }
        let upstream = PassthroughSubject<Int, Never>()
        let sending = upstream.prepend(1).handleEvents(receiveCancel: { cancellations.increment() })
        let shared = sending.share()
        shared.subscribe(recorder)
        #expect(recorder.values == [1])
        #expect(cancellations.value == 1)
    }

    @Test func cancelsASourceThatEmitsWhileItConnects() {
        let sent = Counter()
        let endless = AnyPublisher<Int, Never>.create { subscriber in
            while !subscriber.isCancelled, sent.value < 10_000 { subscriber.send(sent.increment()) }
            return AnyCancellable {}
        }
        let recorder = RecordingSubscriber<Int, Never>()
        endless.share().prefix(3).subscribe(recorder)
        #expect(recorder.values == [1, 2, 3])
        #expect(recorder.completion == .finished)
        #expect(sent.value == 3)
    }

    @Test func connectsAgainWhileACancelledSourceStillEmits() {
        let connections = Counter()
        let source = AnyPublisher<Int, Never>.create { subscriber in
            let connection = connections.increment()
            var value = 0
            while !subscriber.isCancelled, value < 10 {
                value += 1
                subscriber.send(connection * 100 + value)
            }
            return AnyCancellable {}
        }
        let shared = source.share()
        let second = RecordingSubscriber<Int, Never> { recorder, event in
            if event.value == 202 { recorder.cancel() }
        }
        let first = RecordingSubscriber<Int, Never> { recorder, event in
            guard event.value != nil else { return }
            recorder.cancel()
            shared.subscribe(second)
        }
        shared.subscribe(first)
        #expect(first.values == [101])
        #expect(second.values == [201, 202])
        #expect(connections.value == 2)
    }

    @Test func deliversAWholeSequenceToTheFirstSubscriber() {
        let shared = [1, 2, 3].publisher.share()
        let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
        shared.subscribe(first)
        shared.subscribe(second)
        #expect(first.values == [1, 2, 3])
        #expect(second.events == [.subscription("Multicast"), .finished])
    }

    @Test func isEqualOnlyToItself() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let shared = probe.share()
        #expect(shared == shared)
        #expect(shared != probe.share())
    }

    @Test func cancelsEveryConnection() {
        let (connections, disconnections) = (Counter(), Counter())
        let upstream = PassthroughSubject<Int, Never>()
        let watched = upstream.handleEvents(
            receiveSubscription: { _ in connections.increment() }, receiveCancel: { disconnections.increment() })
        let shared = watched.share()
        concurrently(4) { _ in
            for _ in 0..<500 { shared.sink { _ in }.cancel() }
        }
        #expect(connections.value > 0)
        #expect(connections.value == disconnections.value)
    }
}

/// A publisher that calls a closure when the first of its subscriptions is released.
private final class ReleaseNotifyingPublisher: Publisher {
    typealias Output = Int
    typealias Failure = Never

    private final class NotifyingSubscription: Subscription {
        private let publisher: ReleaseNotifyingPublisher

        init(from publisher: ReleaseNotifyingPublisher) {
            self.publisher = publisher
        }

        deinit {
            let onRelease = publisher.onRelease
            publisher.onRelease = nil
            onRelease?()
        }

        func request(_ demand: Subscribers.Demand) {}

        func cancel() {
            publisher.cancellations += 1
        }
    }

    private(set) var subscribers: [AnySubscriber<Int, Never>] = []
    private(set) var cancellations = 0
    var onRelease: (() -> Void)?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subscribers.append(AnySubscriber(subscriber))
        subscriber.receive(subscription: NotifyingSubscription(from: self))
    }
}
