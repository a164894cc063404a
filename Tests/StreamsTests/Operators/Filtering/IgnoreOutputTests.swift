import Streams
import StreamsTesting
import Testing

@Suite("ignoreOutput")
struct IgnoreOutputTests {
    @Test func requestsAllValuesAndDeliversTheCompletionAlone() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Never, TestError>(initialDemand: .none)
        probe.ignoreOutput().subscribe(recorder)
        #expect(probe.commands == [[.request(.unlimited)]])
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(recorder.completion == .failure(.first))
    }
}
