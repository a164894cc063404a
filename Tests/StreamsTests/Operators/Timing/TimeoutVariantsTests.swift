import Streams
import StreamsTesting
import Testing

@Suite("timeout of the first value and of the whole stream", .timeLimit(.minutes(15)))
struct DeadlineTests {
    let scheduler = TestScheduler()

    @Test("A first value in time stops the clock for good")
    func firstInTime() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.timeout(first: .seconds(5), scheduler: scheduler, customError: { .first }).subscribe(recorder)
        scheduler.advance(by: .seconds(4))
        probe.send(1)
        scheduler.advance(by: .seconds(100))
        #expect(recorder.values == [1])
        #expect(recorder.completion == nil)
        #expect(!scheduler.hasWork)
    }

    @Test("A first value that takes too long ends the stream, counted from the first request")
    func firstTooLate() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        probe.timeout(first: .seconds(5), scheduler: scheduler, customError: { .first }).subscribe(recorder)
        scheduler.advance(by: .seconds(4))
        recorder.request(.max(1))
        scheduler.advance(by: .milliseconds(4999))
        #expect(recorder.completion == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(recorder.completion == .failure(.first))
        #expect(probe.cancellations == 1)
    }

    @Test("The whole stream has so much time from the subscription, whatever it delivers and is asked for")
    func total() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        probe.timeout(total: .seconds(5), scheduler: scheduler, customError: { .first }).subscribe(recorder)
        for value in 1...4 {
            scheduler.advance(by: .seconds(1))
            recorder.request(.max(1))
            probe.send(value)
        }
        scheduler.advance(by: .milliseconds(999))
        #expect(recorder.completion == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(recorder.values == [1, 2, 3, 4])
        #expect(recorder.completion == .failure(.first))
        #expect(probe.cancellations == 1)
        #expect(recorder.violations == [])
    }

    @Test("prefix(for:) finishes when its time is up")
    func prefix() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        probe.prefix(for: .seconds(2), scheduler: scheduler).subscribe(recorder)
        probe.send(1)
        scheduler.advance(by: .seconds(1))
        probe.send(2)
        scheduler.advance(by: .seconds(1))
        probe.send(3)
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [1, 2])
        #expect(recorder.completion == .finished)
        #expect(probe.cancellations == 1)
    }
}
