import Streams
import StreamsTesting
import Testing

@Suite("replaceNil")
struct ReplaceNilTests {
    @Test func replacesNil() {
        let subject = PassthroughSubject<Int?, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        subject.replaceNil(with: 9).subscribe(recorder)
        subject.send(1)
        subject.send(nil)
        subject.send(completion: .finished)
        #expect(recorder.events == [.subscription("PassthroughSubject"), .value(1), .value(9), .finished])
    }
}
