import Streams
import StreamsTesting
import Testing

@Suite("first")
struct FirstTests {
    @Test func buffersTheValueUntilItIsRequested() {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        subject.first().subscribe(recorder)
        subject.send(1)
        subject.send(2)
        #expect(recorder.events == [.subscription("First")])
        recorder.request(.max(1))
        #expect(recorder.events == [.subscription("First"), .value(1), .finished])
    }

    @Test func forwardsACompletionBeforeTheFirstValue() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        probe.first().subscribe(recorder)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("First"), .failure(.first)])
        #expect(probe.commands == [[.request(.unlimited)]])
    }

    @Test func deliversNothingAfterCancellation() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.first().subscribe(recorder)
        recorder.cancel()
        probe.send(1)
        #expect(recorder.events == [.subscription("First")])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }
}
