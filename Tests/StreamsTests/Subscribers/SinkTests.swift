import StreamsTesting
import Testing

@testable import Streams

@Suite struct SinkTests {
    @Test func closuresAreCalled() {
        let log = Locked<[String]>([])
        let cancellable = (1...2).publisher.sink(
            receiveCompletion: { completion in log.withLock { $0.append("\(completion)") } },
            receiveValue: { value in log.withLock { $0.append("\(value)") } })
        withExtendedLifetime(cancellable) {}
        #expect(log.withLock { $0 } == ["1", "2", "finished"])
    }

    @Test func theObjectCanBeFedByHand() {
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

    @Test func theObjectFedByHandIsSilentOnceCancelled() {
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
    func theEndReleasesTheClosuresThoughTheCancellableIsKept(byCompletion: Bool) {
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
    func theObjectReleasesItsClosuresToo(byCompletion: Bool) {
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

    @Test func aSecondSubscriptionIsCancelled() {
        let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
        let (first, second) = (Ledger(), Ledger())
        sink.receive(subscription: first)
        sink.receive(subscription: second)
        sink.cancel()
        #expect(first.entries == ["unlimited", "cancel"])
        #expect(second.entries == ["cancel"])
        #expect(String(describing: sink) == "Sink")
    }

    @Test func nothingFollowsTheEnd() {
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

@Suite struct AssignTests {
    final class Target {
        var value = 0
    }

    @Test func itSetsTheProperty() {
        let target = Target()
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = subject.assign(to: \.value, on: target)
        subject.send(3)
        #expect(target.value == 3)
        cancellable.cancel()
        subject.send(4)
        #expect(target.value == 3)
    }

    @Test(arguments: [true, false])
    func theEndReleasesTheObject(byCompletion: Bool) {
        var target: Target? = Target()
        let weak = Weak(object: target)
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = target.map { subject.assign(to: \.value, on: $0) }
        target = nil
        #expect(weak.object != nil)
        if byCompletion { subject.send(completion: .finished) } else { cancellable?.cancel() }
        #expect(weak.object == nil)
        withExtendedLifetime(cancellable) {}
    }
}
