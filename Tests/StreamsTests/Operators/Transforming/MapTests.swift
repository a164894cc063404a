import Streams
import StreamsTesting
import Testing

/// Operators in a row that are one operator.
@Suite struct ChainsTests {
    private let source = (1...4).publisher.eraseToAnyPublisher()

    @Test func mapsAreOne() {
        let chain = source.map { $0 * 10 }.map { $0 + 1 }
        let isOne: Publishers.Map<AnyPublisher<Int, Never>, String> = chain.map { "\($0)" }
        let recorder = RecordingSubscriber<String, Never>()
        isOne.subscribe(recorder)
        #expect(recorder.values == ["11", "21", "31", "41"])
    }

    @Test func throwingMapsAreOne() {
        let first: Publishers.TryMap<AnyPublisher<Int, Never>, Int> = source.map { $0 * 10 }.tryMap {
            if $0 == 30 { throw TestError.first }
            return $0
        }
        let isOne: Publishers.TryMap<AnyPublisher<Int, Never>, Int> = first.map { $0 + 1 }.tryMap {
            $0 + 1
        }
        let recorder = RecordingSubscriber<Int, any Error>()
        isOne.subscribe(recorder)
        #expect(recorder.values == [12, 22])
        #expect(recorder.transcript.last == "failure first")
    }

    @Test func filtersAreOne() {
        let isOne: Publishers.Filter<AnyPublisher<Int, Never>> =
            source.filter { $0 > 1 }.filter { $0 < 4 }
        let recorder = RecordingSubscriber<Int, Never>()
        isOne.subscribe(recorder)
        #expect(recorder.values == [2, 3])
    }

    @Test func aSecondConditionIsAskedOnlyIfTheFirstIsFulfilled() {
        let asked = RecordingSubscriber<Int, Never>()
        let isOne: Publishers.TryFilter<AnyPublisher<Int, Never>> =
            source.filter { $0 > 2 }
            .tryFilter {
                _ = asked.receive($0)
                return true
            }
            .filter { $0 < 4 }
            .tryFilter { _ in true }
        let recorder = RecordingSubscriber<Int, any Error>()
        isOne.subscribe(recorder)
        #expect(asked.values == [3, 4])
        #expect(recorder.values == [3])
    }

    @Test func compactMapsAreOne() {
        let isOne: Publishers.CompactMap<AnyPublisher<Int, Never>, Int> =
            source.compactMap { $0 > 1 ? $0 : nil }.compactMap { $0 < 4 ? $0 : nil }.map { $0 * 10 }
        let recorder = RecordingSubscriber<Int, Never>()
        isOne.subscribe(recorder)
        #expect(recorder.values == [20, 30])
    }

    @Test func throwingCompactMapsAreOne() {
        let isOne: Publishers.TryCompactMap<AnyPublisher<Int, Never>, Int> =
            source.tryCompactMap { $0 > 1 ? $0 : nil }.compactMap { $0 < 4 ? $0 * 10 : nil }
        let recorder = RecordingSubscriber<Int, any Error>()
        isOne.subscribe(recorder)
        #expect(recorder.values == [20, 30])
    }
}
