import Streams
import StreamsTesting
import Testing

@Suite("pairwise")
struct PairwiseTests {
    @Test func publishesEachValueWithTheOneBefore() {
        let recorder = RecordingSubscriber<String, Never>()
        [1, 2, 3].publisher.pairwise().map { "\($0.previous) \($0.current)" }.subscribe(recorder)
        #expect(recorder.values == ["1 2", "2 3"])
        #expect(recorder.completion == .finished)
    }

    @Test(arguments: [[], [1]]) func finishesWithoutAPair(values: [Int]) {
        let recorder = RecordingSubscriber<Int, Never>()
        values.publisher.pairwise().map(\.current).subscribe(recorder)
        #expect(recorder.values == [] && recorder.completion == .finished)
    }

    @Test func requestsOneMoreInPlaceOfTheFirstValue() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
        probe.pairwise().map(\.current).subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(2) == .none)
        #expect(recorder.values == [2])
    }

    @Test func eachSubscriptionHasItsOwnPreviousValue() {
        let pairs = [1, 2].publisher.pairwise()
        for _ in 0..<2 {
            let recorder = RecordingSubscriber<Int, Never>()
            pairs.map(\.previous).subscribe(recorder)
            #expect(recorder.values == [1])
        }
    }
}
