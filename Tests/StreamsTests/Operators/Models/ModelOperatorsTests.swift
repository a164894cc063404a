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
        let transcript = Transcript(String.self, Never.self)
        [1, 2].publisher.eraseToAnyPublisher().map { "<\($0)>" }.subscribe(transcript)
        #expect(transcript.entries == ["subscription [1, 2]", "<1>", "<2>", "finished"])
    }

    @Test func mapHandsTheSubscriptionOn() {
        let (transcript, unruly) = (Transcript(Int.self, Mishap.self), Unruly<Int, Mishap>())
        unruly.map { $0 + 1 }.subscribe(transcript)
        transcript.onValue = { _ in .max(4) }
        #expect(unruly.subscriber.value?.receive(1) == .max(4))
        #expect(unruly.subscriber.value?.description == "Map")
        #expect(transcript.subscription?.combineIdentifier == unruly.ledger.combineIdentifier)
    }

    @Test func filterAsksForAnotherForEveryOneLeftOut() {
        let (transcript, unruly) = (Transcript(Int.self, Mishap.self, demand: .max(2)), Unruly<Int, Mishap>())
        unruly.filter { $0 > 1 }.subscribe(transcript)
        transcript.onValue = { _ in .max(3) }
        #expect(unruly.subscriber.value?.receive(1) == .max(1))
        #expect(unruly.subscriber.value?.receive(2) == .max(3))
        #expect(transcript.entries.dropFirst() == ["2"])
        #expect(unruly.subscriber.value?.description == "Filter")
        #expect(transcript.subscription?.combineIdentifier == unruly.ledger.combineIdentifier)
        transcript.subscription?.cancel()
        #expect(unruly.ledger.entries == ["max(2)", "cancel"])
    }

    @Test func compactMapLeavesNilOut() {
        let transcript = Transcript(Int.self, Never.self, demand: .max(2))
        ["1", "x", "3", "4"].publisher.eraseToAnyPublisher().compactMap { Int($0) }.subscribe(transcript)
        #expect(transcript.entries == ["subscription [\"1\", \"x\", \"3\", \"4\"]", "1", "3"])
    }

    @Test func tryMapFailsOnceAndCancels() {
        let (transcript, unruly) = (Transcript(Int.self, (any Error).self), Unruly<Int, Never>())
        unruly.tryMap { if $0 == 2 { throw Mishap.second } else { $0 * 10 } }.subscribe(transcript)
        _ = unruly.subscriber.value?.receive(1)
        #expect(unruly.subscriber.value?.receive(2) == Subscribers.Demand.none)
        unruly.subscriber.value?.receive(completion: .finished)
        #expect(transcript.entries == ["subscription TryMap", "10", "failure second"])
        #expect(unruly.ledger.entries == ["unlimited", "cancel"])
    }

    @Test func mapErrorTransformsTheFailure() {
        let transcript = Transcript(Int.self, Mishap.self)
        Fail<Int, Mishap>(error: .first).mapError { $0 == .first ? Mishap.second : .first }.subscribe(transcript)
        #expect(transcript.entries == ["subscription Empty", "failure second"])
        let finished = Transcript(Int.self, Mishap.self)
        Just(1).eraseToAnyPublisher().mapError { _ -> Mishap in }.subscribe(finished)
        #expect(finished.entries == ["subscription Just", "1", "finished"])
    }

    @Test func aSecondSubscriptionIsCancelled() {
        let (transcript, unruly) = (Transcript(Int.self, (any Error).self), Unruly<Int, Mishap>())
        unruly.tryFilter { _ in true }.subscribe(transcript)
        let second = Ledger()
        unruly.subscriber.value?.receive(subscription: second)
        #expect(second.entries == ["cancel"])
        #expect(transcript.entries == ["subscription TryFilter"])
    }

    @Test func linksTellWhetherValuesAreDropped() {
        let transcript = Transcript(Int.self, (any Error).self)
        let subject = PassthroughSubject<Int, Never>()
        subject.map { $0 }.filter { _ in true }.tryMap { $0 }.subscribe(transcript)
        #expect(dropsUnrequestedValues(transcript.subscription))
        let cold = Transcript(Int.self, Never.self)
        [1].publisher.eraseToAnyPublisher().filter { _ in true }.subscribe(cold)
        #expect(!dropsUnrequestedValues(cold.subscription))
    }
}
