import Streams
import StreamsTesting
import Testing

@Suite("retry with backoff", .timeLimit(.minutes(15)))
struct RetryWithBackoffTests {
    let scheduler = TestScheduler()

    @Test("Waits grow up to the limit, and the last failure is delivered")
    func waits() {
        let attempts = LockedValue<[TestScheduler.SchedulerTimeType]>([])
        let failing = Deferred { [scheduler] in
            attempts.update { $0.append(scheduler.now) }
            return Fail<Int, TestError>(error: .first)
        }
        let backoff = Backoff(initial: .seconds(1), maximum: .seconds(5), jitter: 0)
        let recorder = RecordingSubscriber<Int, TestError>()
        failing.retry(4, backoff: backoff, scheduler: scheduler).subscribe(recorder)
        scheduler.advance(by: .seconds(100))
        let start = TestScheduler.SchedulerTimeType.start
        #expect(attempts.value == [0, 1, 3, 7, 12].map { start.advanced(by: .seconds($0)) })
        #expect(recorder.completion == .failure(.first))
        #expect(recorder.violations == [])
    }

    @Test("Jitter shortens a wait by at most its share")
    func jitter() {
        for _ in 0..<50 {
            let probe = ProbePublisher<Int, TestError>()
            let backoff = Backoff(initial: .seconds(10), jitter: 0.4)
            let recorder = RecordingSubscriber<Int, TestError>()
            probe.retry(1, backoff: backoff, scheduler: scheduler).subscribe(recorder)
            probe.send(completion: .failure(.first))
            scheduler.advance(by: .milliseconds(5_999))
            #expect(probe.subscriptionCount == 1)
            scheduler.advance(by: .milliseconds(4_001))
            #expect(probe.subscriptionCount == 2)
            recorder.cancel()
        }
    }

    @Test("A value resets the number of retries and the delay, unless it is not to")
    func resets() {
        for resets in [true, false] {
            let probe = ProbePublisher<Int, TestError>()
            let backoff = Backoff(initial: .seconds(1), maximum: .seconds(60), jitter: 0)
            let recorder = RecordingSubscriber<Int, TestError>()
            probe.retry(2, backoff: backoff, scheduler: scheduler, resetsAfterValue: resets).subscribe(recorder)
            probe.send(completion: .failure(.first))
            scheduler.advance(by: .seconds(1))
            probe.send(completion: .failure(.first))
            scheduler.advance(by: .seconds(2))
            #expect(probe.subscriptionCount == 3)
            probe.send(1)
            probe.send(completion: .failure(.second))
            scheduler.advance(by: .seconds(1))
            #expect(probe.subscriptionCount == (resets ? 4 : 3))
            #expect(recorder.completion == (resets ? nil : .failure(.second)))
            recorder.cancel()
        }
    }

    @Test("Without a number of retries it retries for ever")
    func unlimited() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.retry(backoff: .constant(.seconds(1)), scheduler: scheduler).subscribe(recorder)
        for _ in 0..<100 {
            probe.send(completion: .failure(.first))
            scheduler.advance(by: .seconds(1))
        }
        #expect(probe.subscriptionCount == 101)
        #expect(recorder.completion == nil)
        recorder.cancel()
    }

    @Test("A failure that the condition rejects is delivered at once")
    func condition() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = RecordingSubscriber<Int, TestError>()
        probe.retry(3, backoff: .constant(.seconds(1)), scheduler: scheduler, where: { _ in false }).subscribe(recorder)
        probe.send(completion: .failure(.first))
        #expect(recorder.completion == .failure(.first))
        #expect(!scheduler.hasWork)
    }

    @Test("Unanswered demand, also from the wait, is requested from the next attempt")
    func demand() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(3))
        probe.retry(1, backoff: .constant(.seconds(1)), scheduler: scheduler).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.first))
        recorder.request(.max(4))
        scheduler.advance(by: .seconds(1))
        #expect(probe.requests == [.max(3), .max(6)])
        probe.send(2)
        probe.send(completion: .finished)
        #expect(recorder.values == [1, 2])
        #expect(recorder.completion == .finished)
    }

    @Test("Cancellation during the wait releases everything, and no attempt follows")
    func cancellation() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<Int, TestError>()
        var subscription: AnyCancellable?
        do {
            let token = lifetimes.token("closure")
            subscription = probe.retry(5, backoff: .constant(.seconds(1)), scheduler: scheduler).sink(
                receiveCompletion: { _ in withExtendedLifetime(token) {} }, receiveValue: { _ in })
            probe.send(completion: .failure(.first))
        }
        #expect(lifetimes.alive == ["closure"])
        subscription?.cancel()
        #expect(lifetimes.alive == [])
        scheduler.advance(by: .seconds(5))
        #expect(probe.subscriptionCount == 1)
    }

    @Test("Many attempts on an immediate scheduler leave the stack flat")
    func stack() {
        let recorder = RecordingSubscriber<Int, TestError>()
        onSmallStack {
            Fail<Int, TestError>(error: .first)
                .retry(20_000, backoff: .constant(.zero), scheduler: ImmediateScheduler.shared).subscribe(recorder)
        }
        #expect(recorder.completion == .failure(.first))
    }
}
