import Streams
import StreamsTesting
import Testing

@Suite("timeout(first:), timeout(total:) and prefix(for:)", .timeLimit(.minutes(15)))
struct TimeoutVariantsTests {
    let scheduler = TestScheduler()

    @Test func firstValueInTimeStopsTheClock() {
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

    @Test func failsWhenTheFirstValueIsLate() {
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

    @Test func failsWhenTheCompletionIsLate() {
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

    @Test func prefixFinishesAfterItsTime() {
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
