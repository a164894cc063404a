import Streams
import StreamsTesting
import Testing

@Suite("repeat", .timeLimit(.minutes(15)))
struct RepeatTests {
    @Test("Rounds are counted, and unanswered demand is requested from the next one")
    func rounds() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(4))
        (1...3).publisher.repeat(2).subscribe(recorder)
        #expect(recorder.values == [1, 2, 3, 1])
        recorder.request(.max(100))
        #expect(recorder.values == [1, 2, 3, 1, 2, 3, 1, 2, 3])
        #expect(recorder.completion == .finished)
        #expect(recorder.events.first == .subscription("Repeat"))
        #expect(recorder.violations == [])
    }

    @Test("A failure is delivered at once")
    func failure() {
        let recorder = RecordingSubscriber<Int, TestError>()
        Fail(error: .first).repeat().subscribe(recorder)
        #expect(recorder.completion == .failure(.first))
    }

    @Test("Cancellation ends endless rounds")
    func endless() {
        let recorder = RecordingSubscriber<Int, Never>()
        Just(1).repeat().prefix(1000).subscribe(recorder)
        #expect(recorder.values.count == 1000)
        #expect(recorder.completion == .finished)
    }
}
