import Streams
import StreamsTesting
import Testing

@Suite("tryFilter and tryCompactMap")
struct TryFilterTests {
    @Test func filterEndsWithTheErrorThrown() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>(initialDemand: .max(3), demandPerValue: .max(4))
        probe.tryFilter { if $0 == 3 { throw TestError.first } else { $0.isMultiple(of: 2) } }.subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(2) == .max(4))
        #expect(probe.send(3) == .none)
        probe.send(4)
        probe.send(completion: .finished)
        #expect(recorder.transcript == ["subscription TryFilter", "2", "failure first"])
        #expect(probe.commands == [[.request(.max(3)), .cancel]])
    }

    @Test func filterPassesTheCompletionOn() {
        let recorder = RecordingSubscriber<Int, any Error>()
        [1, 2].publisher.tryFilter { $0 > 1 }.subscribe(recorder)
        #expect(recorder.transcript == ["subscription TryFilter", "2", "finished"])
    }

    @Test func compactMapEndsWithTheErrorThrown() {
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

    @Test func compactMapIsSilentAfterCancellation() {
        let probe = ProbePublisher<String, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>()
        probe.tryCompactMap { Int($0) }.subscribe(recorder)
        recorder.cancel()
        probe.send("1")
        probe.send(completion: .failure(.first))
        #expect(recorder.transcript == ["subscription TryCompactMap"])
    }
}
