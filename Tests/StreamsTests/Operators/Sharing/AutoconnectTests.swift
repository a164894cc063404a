import Streams
import StreamsTesting
import Testing

@Suite("autoconnect")
struct AutoconnectTests {
    @Test func connectsWithTheFirstSubscriberAndDisconnectsAfterTheLast() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let publisher = probe.multicast { PassthroughSubject() }.autoconnect()
        let recorders = (0..<3).map { _ in RecordingSubscriber<Int, TestError>() }
        publisher.subscribe(recorders[0])
        publisher.subscribe(recorders[1])
        #expect(probe.commands == [[.request(.unlimited)]])
        probe.send(1)
        recorders[0].cancel()
        recorders[0].cancel()
        #expect(probe.commands == [[.request(.unlimited)]])
        recorders[1].cancel()
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
        publisher.subscribe(recorders[2])
        #expect(probe.subscriptionCount == 2)
        #expect(recorders[0].events == [.subscription("Multicast"), .value(1)])
        #expect(recorders[2].events == [.subscription("Multicast")])
    }

    @Test func staysConnectedAfterCompletion() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let publisher = probe.multicast { PassthroughSubject() }.autoconnect()
        let recorders = (0..<2).map { _ in RecordingSubscriber<Int, TestError>() }
        publisher.subscribe(recorders[0])
        probe.send(completion: .finished)
        recorders[0].cancel()
        publisher.subscribe(recorders[1])
        #expect(probe.commands == [[.request(.unlimited)]])
        #expect(recorders[1].events == [.subscription("Multicast"), .finished])
    }

    @Test func doesNotConnectIfTheSubscriberCancelsImmediately() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let subscriber = AnySubscriber<Int, TestError>(receiveSubscription: { $0.cancel() })
        probe.multicast { PassthroughSubject() }.autoconnect().subscribe(subscriber)
        #expect(probe.subscriptionCount == 0)
    }

    @Test func disconnectsIfTheLastSubscriberCancelsWhileItConnects() {
        let cancellations = Counter()
        let recorder = RecordingSubscriber<Int, Never> { recorder, event in
            if event.value != nil { recorder.cancel() }
        }
        let upstream = PassthroughSubject<Int, Never>().prepend(1)
            .handleEvents(receiveCancel: { cancellations.increment() })
        upstream.multicast { PassthroughSubject() }.autoconnect().subscribe(recorder)
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
        endless.multicast { PassthroughSubject() }.autoconnect().prefix(3).subscribe(recorder)
        endless.makeConnectable().autoconnect().prefix(3).subscribe(recorder)
        #expect(recorder.values == [1, 2, 3])
        #expect(sent.value == 3)
    }

    @Test("Delivers nothing once a second, concurrent cancellation has returned")
    func deliversNothingAfterASecondCancellation() {
        let upstream = ManualPublisher()
        let recorder = RecordingSubscriber<Int, Never>()
        upstream.autoconnect().subscribe(recorder)
        upstream.send(1)
        upstream.onCancel = {
            // The first cancellation is in progress, and has not ended the upstream's subscription yet.
            onAnotherThread { recorder.cancel() }
            upstream.send(2)
            upstream.send(completion: .finished)
        }
        recorder.cancel()
        #expect(recorder.values == [1])
        #expect(recorder.completion == nil)
        #expect(upstream.cancellations == 1)
        #expect(upstream.disconnections == 1)
    }

    @Test func cancelsASecondSubscription() {
        let upstream = ManualPublisher()
        let recorder = RecordingSubscriber<Int, Never>()
        upstream.autoconnect().subscribe(recorder)
        upstream.subscribeAgain()
        #expect(upstream.cancellations == 1)
        upstream.send(1)
        #expect(recorder.values == [1])
    }

    @Test func cancelledSubscriptionReleasesThePublisher() {
        let lifetimes = LifetimeTracker()
        let recorder = RecordingSubscriber<Int, Never>()
        let upstream = PassthroughSubject<Int, Never>()
        do {
            let token = lifetimes.token("closure")
            upstream.filter { _ in withExtendedLifetime(token) { true } }
                .multicast { PassthroughSubject() }.autoconnect().subscribe(recorder)
        }
        #expect(lifetimes.alive == ["closure"])
        recorder.cancel()
        #expect(recorder.subscription != nil)
        #expect(lifetimes.alive == [])
        withExtendedLifetime(upstream) {}
    }

    @Test func cancelsEveryConnection() {
        let (connections, disconnections) = (Counter(), Counter())
        let upstream = PassthroughSubject<Int, Never>()
        let watched = upstream.handleEvents(
            receiveSubscription: { _ in connections.increment() }, receiveCancel: { disconnections.increment() })
        let publisher = watched.multicast { PassthroughSubject() }.autoconnect()
        concurrently(4) { _ in
            for _ in 0..<500 { publisher.sink { _ in }.cancel() }
        }
        #expect(connections.value > 0)
        #expect(connections.value == disconnections.value)
    }
}

/// A connectable publisher that delivers to its only subscriber, also after its subscription was cancelled.
// Safe because one thread at a time uses it.
private final class ManualPublisher: ConnectablePublisher, Subscription, @unchecked Sendable {
    typealias Output = Int
    typealias Failure = Never

    private var subscriber: AnySubscriber<Int, Never>?
    private(set) var cancellations = 0
    private(set) var disconnections = 0
    var onCancel: (() -> Void)?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        self.subscriber = AnySubscriber(subscriber)
        subscriber.receive(subscription: self)
    }

    func subscribeAgain() {
        subscriber?.receive(subscription: self)
    }

    func send(_ value: Int) {
        _ = subscriber?.receive(value)
    }

    func send(completion: Subscribers.Completion<Never>) {
        subscriber?.receive(completion: completion)
    }

    func connect() -> any Cancellable {
        AnyCancellable { self.disconnections += 1 }
    }

    func request(_ demand: Subscribers.Demand) {}

    func cancel() {
        cancellations += 1
        onCancel?()
    }
}
