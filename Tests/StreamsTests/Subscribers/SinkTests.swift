import StreamsTesting
import Testing

@testable import Streams

@Suite struct SinkTests {
    @Test func callsItsClosures() {
        let log = Locked<[String]>([])
        let cancellable = (1...2).publisher.sink(
            receiveCompletion: { completion in log.withLock { $0.append("\(completion)") } },
            receiveValue: { value in log.withLock { $0.append("\(value)") } })
        withExtendedLifetime(cancellable) {}
        #expect(log.withLock { $0 } == ["1", "2", "finished"])
    }

    @Test func receivesSignalsWithoutASubscription() {
        let log = Locked<[String]>([])
        let sink = Subscribers.Sink<Int, Never>(
            receiveCompletion: { completion in log.withLock { $0.append("\(completion)") } },
            receiveValue: { value in log.withLock { $0.append("\(value)") } })
        #expect(sink.receive(1) == .none)
        sink.receive(completion: .finished)
        #expect(sink.receive(2) == .none)
        sink.receive(completion: .finished)
        #expect(log.withLock { $0 } == ["1", "finished"])
    }

    @Test func ignoresSignalsWithoutASubscriptionOnceCancelled() {
        let log = Locked<[String]>([])
        let sink = Subscribers.Sink<Int, Never>(
            receiveCompletion: { completion in log.withLock { $0.append("\(completion)") } },
            receiveValue: { value in log.withLock { $0.append("\(value)") } })
        sink.cancel()
        #expect(sink.receive(1) == .none)
        sink.receive(completion: .finished)
        #expect(log.withLock { $0 }.isEmpty)
    }

    @Test func releasingTheCancellableCancels() {
        let subject = PassthroughSubject<Int, Never>()
        let values = Locked<[Int]>([])
        do {
            let cancellable = subject.sink { value in values.withLock { $0.append(value) } }
            subject.send(1)
            withExtendedLifetime(cancellable) {}
        }
        subject.send(2)
        #expect(values.withLock { $0 } == [1])
    }

    @Test(arguments: [true, false])
    func endReleasesTheClosuresOfARetainedCancellable(byCompletion: Bool) {
        let subject = PassthroughSubject<Int, Never>()
        let lifetimes = LifetimeTracker()
        let cancellable = subject.map { [token = lifetimes.token("transform")] value in
            withExtendedLifetime(token) { value }
        }
        .sink { [token = lifetimes.token("receiver")] (_: Int) in withExtendedLifetime(token) {} }
        #expect(lifetimes.alive == ["receiver", "transform"])
        if byCompletion { subject.send(completion: .finished) } else { cancellable.cancel() }
        #expect(lifetimes.alive == [])
        withExtendedLifetime(cancellable) {}
    }

    @Test(arguments: [true, false])
    func endReleasesTheClosuresOfARetainedSink(byCompletion: Bool) {
        let subject = PassthroughSubject<Int, Never>()
        let lifetimes = LifetimeTracker()
        let sink = Subscribers.Sink<Int, Never>(
            receiveCompletion: { _ in },
            receiveValue: { [token = lifetimes.token("receiver")] _ in withExtendedLifetime(token) {} })
        subject.subscribe(sink)
        #expect(lifetimes.alive == ["receiver"])
        if byCompletion { subject.send(completion: .finished) } else { sink.cancel() }
        #expect(lifetimes.alive == [])
        withExtendedLifetime(sink) {}
    }

    @Test func cancelsASecondSubscription() {
        let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
        let (first, second) = (RecordingSubscription(), RecordingSubscription())
        sink.receive(subscription: first)
        sink.receive(subscription: second)
        sink.cancel()
        #expect(first.entries == ["unlimited", "cancel"])
        #expect(second.entries == ["cancel"])
        #expect(String(describing: sink) == "Sink")
    }

    @Test func ignoresSignalsAfterCompletion() {
        let log = Locked<[String]>([])
        let sink = Subscribers.Sink<Int, Never>(
            receiveCompletion: { _ in log.withLock { $0.append("finished") } },
            receiveValue: { value in log.withLock { $0.append("\(value)") } })
        sink.receive(subscription: Subscriptions.empty)
        _ = sink.receive(1)
        sink.receive(completion: .finished)
        _ = sink.receive(2)
        sink.receive(completion: .finished)
        #expect(log.withLock { $0 } == ["1", "finished"])
    }
}
