import Streams
import Testing

/// Writes a number, and refuses negative ones.
private struct DecimalCoder: TopLevelEncoder, TopLevelDecoder {
    func encode<T: Encodable>(_ value: T) throws -> String {
        guard let number = value as? Int, number >= 0 else { throw Oops.one }
        return "\(number)"
    }

    func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
        guard let number = Int(text), let value = number as? T else { throw Oops.two }
        return value
    }
}

@Suite("encode and decode")
struct CodingTests {
    @Test func encodesEveryValue() {
        let recorder = Recorder<String, any Error>()
        [1, 2].publisher.encode(encoder: DecimalCoder()).subscribe(recorder)
        #expect(recorder.signals == [.subscription("Encode"), .value("1"), .value("2"), .finished])
    }

    @Test func decodesEveryValue() {
        let recorder = Recorder<Int, any Error>()
        ["1", "2"].publisher.decode(type: Int.self, decoder: DecimalCoder()).subscribe(recorder)
        #expect(recorder.signals == [.subscription("Decode"), .value(1), .value(2), .finished])
    }

    @Test func endsWithTheEncodersError() {
        let probe = Probe<Int, Never>()
        let recorder = Recorder<String, any Error>(.max(2)) { _, _ in .max(1) }
        probe.encode(encoder: DecimalCoder()).subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(-1) == .none)
        probe.send(2)
        probe.send(completion: .finished)
        #expect(recorder.signals == [.subscription("Encode"), .value("1"), .failure("one")])
        #expect(probe.orders == [[.request(.max(2)), .cancel]])
    }

    @Test func endsWithTheDecodersError() {
        let probe = Probe<String, Never>()
        let recorder = Recorder<Int, any Error>()
        probe.decode(type: Int.self, decoder: DecimalCoder()).subscribe(recorder)
        probe.send("x")
        probe.send("1")
        #expect(recorder.signals == [.subscription("Decode"), .failure("two")])
        #expect(probe.orders == [[.request(.unlimited), .cancel]])
    }

    @Test func passesTheUpstreamsFailureOn() {
        let recorder = Recorder<Int, any Error>()
        let failing = Fail<String, Oops>(error: .one)
        failing.decode(type: Int.self, decoder: DecimalCoder()).subscribe(recorder)
        #expect(recorder.end == .failure("one"))
    }
}
