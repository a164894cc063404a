import Streams
import StreamsTesting
import Testing

@Suite("assertNoFailure")
struct AssertNoFailureTests {
    @Test func forwardsValuesAndANormalCompletion() {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 2].publisher.setFailureType(to: TestError.self).assertNoFailure().subscribe(recorder)
        #expect(recorder.values == [1, 2])
        #expect(recorder.completion == .finished)
    }

    @Test func stopsTheProgramOnFailure() async {
        await #expect(processExitsWith: .failure) {
            _ = Fail<Int, TestError>(error: .first).assertNoFailure("impossible").sink { _ in }
        }
    }
}
