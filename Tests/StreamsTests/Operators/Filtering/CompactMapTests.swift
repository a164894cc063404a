import Streams
import StreamsTesting
import Testing

@Suite("compactMap and tryCompactMap")
struct CompactMapTests {
    private let source = (1...4).publisher.eraseToAnyPublisher()

    @Test func dropsNil() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
        ["1", "x", "3", "4"].publisher.eraseToAnyPublisher().compactMap { Int($0) }.subscribe(recorder)
        #expect(recorder.transcript == ["subscription [\"1\", \"x\", \"3\", \"4\"]", "1", "3"])
    }

    @Test func failsWithTheThrownError() {
        let probe = ProbePublisher<String, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>(initialDemand: .max(3), demandPerValue: .max(4))
        probe.tryCompactMap { if $0.isEmpty { throw TestError.second } else { Int($0) } }.subscribe(recorder)
        #expect(probe.send("x") == .max(1))
        #expect(probe.send("2") == .max(4))
        #expect(probe.send("") == .none)
        probe.send("4")
        #expect(recorder.transcript == ["subscription TryCompactMap", "2", "failure second"])
        #expect(probe.commands == [[.request(.max(3)), .cancel]])
    }

    @Test func deliversNothingAfterCancellation() {
        let probe = ProbePublisher<String, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>()
        probe.tryCompactMap { Int($0) }.subscribe(recorder)
        recorder.cancel()
        probe.send("1")
        probe.send(completion: .failure(.first))
        #expect(recorder.transcript == ["subscription TryCompactMap"])
    }

    @Test func consecutiveCompactMapsAreOneOperator() {
        let isOne: Publishers.CompactMap<AnyPublisher<Int, Never>, Int> =
            source.compactMap { $0 > 1 ? $0 : nil }.compactMap { $0 < 4 ? $0 : nil }.map { $0 * 10 }
        let recorder = RecordingSubscriber<Int, Never>()
        isOne.subscribe(recorder)
        #expect(recorder.values == [20, 30])
    }

    @Test func consecutiveTryCompactMapsAreOneOperator() {
        let isOne: Publishers.TryCompactMap<AnyPublisher<Int, Never>, Int> =
            source.tryCompactMap { $0 > 1 ? $0 : nil }.compactMap { $0 < 4 ? $0 * 10 : nil }
        let recorder = RecordingSubscriber<Int, any Error>()
        isOne.subscribe(recorder)
        #expect(recorder.values == [20, 30])
    }
}
