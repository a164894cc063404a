import Streams
import StreamsTesting
import Testing

/// Encodes and decodes integers as decimal text, and fails for negative ones.
private struct DecimalCoder: TopLevelEncoder, TopLevelDecoder {
    func encode<T: Encodable>(_ value: T) throws -> String {
        guard let number = value as? Int, number >= 0 else { throw TestError.first }
        return "\(number)"
    }

    func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
        guard let number = Int(text), let value = number as? T else { throw TestError.second }
        return value
    }
}

@Suite("encode and decode")
struct CodingTests {
    @Test func encodesEachValue() {
        let recorder = RecordingSubscriber<String, any Error>()
        [1, 2].publisher.encode(encoder: DecimalCoder()).subscribe(recorder)
        #expect(recorder.transcript == ["subscription Encode", "1", "2", "finished"])
    }

    @Test func decodesEachValue() {
        let recorder = RecordingSubscriber<Int, any Error>()
        ["1", "2"].publisher.decode(type: Int.self, decoder: DecimalCoder()).subscribe(recorder)
        #expect(recorder.transcript == ["subscription Decode", "1", "2", "finished"])
    }

    @Test func failsWithTheEncodersError() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<String, any Error>(initialDemand: .max(2), demandPerValue: .max(1))
        probe.encode(encoder: DecimalCoder()).subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(-1) == .none)
        probe.send(2)
        probe.send(completion: .finished)
        #expect(recorder.transcript == ["subscription Encode", "1", "failure first"])
        #expect(probe.commands == [[.request(.max(2)), .cancel]])
    }

    @Test func failsWithTheDecodersError() {
        let probe = ProbePublisher<String, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>()
        probe.decode(type: Int.self, decoder: DecimalCoder()).subscribe(recorder)
        probe.send("x")
        probe.send("1")
        #expect(recorder.transcript == ["subscription Decode", "failure second"])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test func forwardsTheUpstreamsFailure() {
        let recorder = RecordingSubscriber<Int, any Error>()
        let failing = Fail<String, TestError>(error: .first)
        failing.decode(type: Int.self, decoder: DecimalCoder()).subscribe(recorder)
        #expect(recorder.transcript.last == "failure first")
    }
}
