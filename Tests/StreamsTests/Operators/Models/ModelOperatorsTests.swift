import StreamsTesting
import Testing

@testable import Streams

/// Feeds a subscriber by hand, keeping no rule.
private struct Unruly<Output, Failure: Error>: Publisher {
    let subscriber = Box()
    let ledger: Ledger

    final class Box {
        var value: AnySubscriber<Output, Failure>?
    }

    init(_ ledger: Ledger = Ledger()) {
        self.ledger = ledger
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        self.subscriber.value = AnySubscriber(subscriber)
        subscriber.receive(subscription: ledger)
    }
}

@Suite struct ModelOperatorsTests {
    @Test func mapTransforms() {
        let recorder = RecordingSubscriber<String, Never>()
        [1, 2].publisher.eraseToAnyPublisher().map { "<\($0)>" }.subscribe(recorder)
        #expect(recorder.transcript == ["subscription [1, 2]", "<1>", "<2>", "finished"])
    }

    @Test func mapHandsTheSubscriptionOn() {
        let (recorder, unruly) = (
            RecordingSubscriber<Int, TestError>(demandPerValue: .max(4)), Unruly<Int, TestError>()
        )
        unruly.map { $0 + 1 }.subscribe(recorder)
        #expect(unruly.subscriber.value?.receive(1) == .max(4))
        #expect(recorder.subscription?.combineIdentifier == unruly.ledger.combineIdentifier)
    }

    @Test func filterAsksForAnotherForEveryOneLeftOut() {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandPerValue: .max(3))
        let unruly = Unruly<Int, TestError>()
        unruly.filter { $0 > 1 }.subscribe(recorder)
        #expect(unruly.subscriber.value?.receive(1) == .max(1))
        #expect(unruly.subscriber.value?.receive(2) == .max(3))
        #expect(recorder.transcript.dropFirst() == ["2"])
        #expect(recorder.subscription?.combineIdentifier == unruly.ledger.combineIdentifier)
        recorder.cancel()
        #expect(unruly.ledger.entries == ["max(2)", "cancel"])
    }

    @Test func compactMapLeavesNilOut() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
        ["1", "x", "3", "4"].publisher.eraseToAnyPublisher().compactMap { Int($0) }.subscribe(recorder)
        #expect(recorder.transcript == ["subscription [\"1\", \"x\", \"3\", \"4\"]", "1", "3"])
    }

    @Test func tryMapFailsOnceAndCancels() {
        let (recorder, unruly) = (RecordingSubscriber<Int, any Error>(), Unruly<Int, Never>())
        unruly.tryMap { if $0 == 2 { throw TestError.second } else { $0 * 10 } }.subscribe(recorder)
        _ = unruly.subscriber.value?.receive(1)
        #expect(unruly.subscriber.value?.receive(2) == Subscribers.Demand.none)
        unruly.subscriber.value?.receive(completion: .finished)
        #expect(recorder.transcript == ["subscription TryMap", "10", "failure second"])
        #expect(unruly.ledger.entries == ["unlimited", "cancel"])
    }

    @Test func mapErrorTransformsTheFailure() {
        let recorder = RecordingSubscriber<Int, TestError>()
        Fail<Int, TestError>(error: .first).mapError { $0 == .first ? TestError.second : .first }.subscribe(recorder)
        #expect(recorder.transcript == ["subscription Empty", "failure second"])
        let finished = RecordingSubscriber<Int, TestError>()
        Just(1).eraseToAnyPublisher().mapError { _ -> TestError in }.subscribe(finished)
        #expect(finished.transcript == ["subscription Just", "1", "finished"])
    }

    @Test func aSecondSubscriptionIsCancelled() {
        let (recorder, unruly) = (RecordingSubscriber<Int, any Error>(), Unruly<Int, TestError>())
        unruly.tryFilter { _ in true }.subscribe(recorder)
        let second = Ledger()
        unruly.subscriber.value?.receive(subscription: second)
        #expect(second.entries == ["cancel"])
        #expect(recorder.transcript == ["subscription TryFilter"])
    }

    @Test func linksTellWhetherValuesAreDropped() {
        let recorder = RecordingSubscriber<Int, any Error>()
        let subject = PassthroughSubject<Int, Never>()
        subject.map { $0 }.filter { _ in true }.tryMap { $0 }.subscribe(recorder)
        #expect(dropsUnrequestedValues(recorder.subscription))
        let cold = RecordingSubscriber<Int, Never>()
        [1].publisher.eraseToAnyPublisher().filter { _ in true }.subscribe(cold)
        #expect(!dropsUnrequestedValues(cold.subscription))
    }
}
