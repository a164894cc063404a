import StreamsTesting
import Testing

@testable import Streams

@Suite struct AnySubscriberTests {
    @Test func forwardsEverySignal() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none, demandForValue: { .max($0) })
        let erased = AnySubscriber(recorder)
        erased.receive(subscription: Subscriptions.empty)
        #expect(erased.receive(7) == .max(7))
        erased.receive(completion: .failure(.first))
        #expect(recorder.transcript == ["subscription Empty", "7", "failure first"])
        #expect(erased.combineIdentifier == recorder.combineIdentifier)
        #expect(AnySubscriber(erased).box === erased.box)
    }

    @Test func closuresAreOptional() {
        let erased = AnySubscriber<Int, Never>()
        erased.receive(subscription: Subscriptions.empty)
        #expect(erased.receive(1) == .none)
        erased.receive(completion: .finished)
        #expect(erased.description == "Anonymous AnySubscriber")
    }

    @Test func callsItsClosures() {
        let log = Locked<[String]>([])
        let erased = AnySubscriber<Int, Never>(
            receiveSubscription: { subscription in log.withLock { $0.append("\(subscription)") } },
            receiveValue: { value in
                log.withLock { $0.append("\(value)") }
                return .max(2)
            },
            receiveCompletion: { completion in log.withLock { $0.append("\(completion)") } })
        erased.receive(subscription: Subscriptions.empty)
        #expect(erased.receive(1) == .max(2))
        erased.receive(completion: .finished)
        #expect(log.withLock { $0 } == ["Empty", "1", "finished"])
    }

    @Test func forwardsSignalsToASubject() {
        let subject = PassthroughSubject<Int, TestError>()
        let recorder = RecordingSubscriber<Int, TestError>()
        subject.subscribe(recorder)
        let source = PassthroughSubject<Int, TestError>()
        source.subscribe(AnySubscriber(subject))
        source.send(1)
        source.send(completion: .failure(.first))
        #expect(recorder.transcript == ["subscription PassthroughSubject", "1", "failure first"])
    }
}
