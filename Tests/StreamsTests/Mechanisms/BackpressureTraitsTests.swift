import StreamsTesting
import Testing

@testable import Streams

@Suite struct BackpressureTraitsTests {
    @Test func operatorsForwardWhetherValuesAreDropped() {
        let recorder = RecordingSubscriber<Int, any Error>()
        let subject = PassthroughSubject<Int, Never>()
        subject.map { $0 }.filter { _ in true }.tryMap { $0 }.subscribe(recorder)
        #expect(dropsUnrequestedValues(recorder.subscription))
        let cold = RecordingSubscriber<Int, Never>()
        [1].publisher.eraseToAnyPublisher().filter { _ in true }.subscribe(cold)
        #expect(!dropsUnrequestedValues(cold.subscription))
    }
}
