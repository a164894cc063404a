import Streams
import StreamsTesting
import Testing

@Suite("mapError and setFailureType")
struct MapErrorTests {
    @Test func transformsTheFailure() {
        let recorder = RecordingSubscriber<Int, TestError>()
        Fail<Int, TestError>(error: .first).mapError { $0 == .first ? TestError.second : .first }.subscribe(recorder)
        #expect(recorder.transcript == ["subscription Empty", "failure second"])
    }

    @Test func forwardsValuesAndANormalCompletion() {
        let recorder = RecordingSubscriber<Int, TestError>()
        Just(1).eraseToAnyPublisher().mapError { _ -> TestError in }.subscribe(recorder)
        #expect(recorder.transcript == ["subscription Just", "1", "finished"])
    }

    @Test func setFailureTypeForwardsEverything() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2), demandPerValue: .max(3))
        probe.setFailureType(to: LawError.self).setFailureType(to: TestError.self).subscribe(recorder)
        #expect(probe.send(1) == .max(3))
        probe.send(completion: .finished)
        #expect(recorder.events == [.subscription("Probe"), .value(1), .finished])
        #expect(probe.commands == [[.request(.max(2))]])
    }
}
