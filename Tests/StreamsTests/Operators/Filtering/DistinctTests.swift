import Streams
import StreamsTesting
import Testing

@Suite("distinct")
struct DistinctTests {
    @Test func publishesEachValueOnce() {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 2, 1, 3, 2, 2].publisher.distinct(maxKeys: 10).subscribe(recorder)
        #expect(recorder.events == [.subscription("Distinct"), .value(1), .value(2), .value(3), .finished])
    }

    @Test func comparesKeys() {
        let recorder = RecordingSubscriber<String, Never>()
        ["a1", "b1", "a2", "c1", "b2"].publisher.distinct(by: \.first, maxKeys: 10).subscribe(recorder)
        #expect(recorder.values == ["a1", "b1", "c1"])
    }

    @Test(arguments: [(1, [1, 2, 1, 3, 1]), (2, [1, 2, 3]), (.max, [1, 2, 3])])
    func forgetsTheKeysWhoseLastValuesAreTheOldest(maxKeys: Int, values: [Int]) {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 1, 2, 1, 3, 1].publisher.distinct(maxKeys: maxKeys).subscribe(recorder)
        #expect(recorder.values == values)
    }

    @Test func aDroppedValueIsRemembered() {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 2, 1, 3, 2].publisher.distinct(maxKeys: 2).subscribe(recorder)
        #expect(recorder.values == [1, 2, 3, 2])
    }

    @Test func remembersNoMoreKeysThanAllowed() {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        subject.distinct(by: { Key(number: $0, token: lifetimes.token("\($0)")) }, maxKeys: 2).subscribe(recorder)
        for number in 1...4 { subject.send(number) }
        #expect(lifetimes.alive == ["3", "4"])
        subject.send(completion: .finished)
        #expect(recorder.values == [1, 2, 3, 4])
        #expect(lifetimes.alive == [])
    }

    @Test func remembersNoKeyThatDoesNotEqualItself() {
        let recorder = RecordingSubscriber<Double, Never>()
        [1, .nan, .nan, 1, .nan].publisher.distinct(maxKeys: 1).subscribe(recorder)
        #expect(recorder.values.map(\.isNaN) == [false, true, true, true])
    }

    @Test func releasesTheKeysOnCancellation() {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        subject.distinct(by: { Key(number: $0, token: lifetimes.token("\($0)")) }, maxKeys: 2).subscribe(recorder)
        subject.send(1)
        recorder.cancel()
        #expect(lifetimes.alive == [])
    }

    @Test func requestsAnotherValueForEachDroppedOne() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2), demandPerValue: .max(5))
        probe.distinct(maxKeys: 10).subscribe(recorder)
        #expect(probe.send(1) == .max(5))
        #expect(probe.send(2) == .max(5))
        #expect(probe.send(1) == .max(1))
        #expect(probe.commands == [[.request(.max(2))]])
    }

    @Test func eachSubscriptionRemembersItsOwnKeys() {
        let publisher = [1, 1, 2].publisher.distinct(maxKeys: 10)
        for _ in 0..<2 {
            let recorder = RecordingSubscriber<Int, Never>()
            publisher.subscribe(recorder)
            #expect(recorder.values == [1, 2])
        }
    }

    @Test func passesAFailure() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.distinct(maxKeys: 10).subscribe(recorder)
        probe.send(completion: .failure(.first))
        probe.send(1)
        #expect(recorder.events == [.subscription("Distinct"), .failure(.first)])
    }
}

private struct Key: Hashable {
    let number: Int
    let token: LifetimeToken

    static func == (left: Key, right: Key) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
