import Streams
import StreamsTesting
import Testing

@Suite("drop(while:) and tryDrop(while:)")
struct DropWhileTests {
    @Test func requestsAnotherValueForEachDroppedOne() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1), demandPerValue: .max(7))
        probe.drop { $0 < 3 }.subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(3) == .max(7))
        #expect(probe.send(1) == .max(7))
        #expect(recorder.events == [.subscription("DropWhile"), .value(3), .value(1)])
        #expect(probe.commands == [[.request(.max(1))]])
    }

    @Test func doesNotCallTheClosureAfterTheFirstPublishedValue() {
        let calls = Counter()
        let recorder = RecordingSubscriber<Int, any Error>()
        [1, 2, 1, 1].publisher.tryDrop { value in
            calls.increment()
            return value == 1
        }.subscribe(recorder)
        #expect(recorder.transcript == ["subscription TryDropWhile", "2", "1", "1", "finished"])
        #expect(calls.value == 2)
    }

    @Test func failsWithTheThrownError() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>()
        probe.tryDrop { _ in throw TestError.second }.subscribe(recorder)
        probe.send(1)
        probe.send(2)
        #expect(recorder.transcript == ["subscription TryDropWhile", "failure second"])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }
}
