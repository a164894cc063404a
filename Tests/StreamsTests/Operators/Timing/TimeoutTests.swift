import Dispatch
import Streams
import StreamsTesting
import Synchronization
import Testing

@Suite("timeout", .timeLimit(.minutes(15)))
struct TimeoutTests {
    typealias Recorder<Failure: Error> = RecordingSubscriber<Int, Failure>

    let scheduler = TestScheduler()

    @Test func finishesWithoutAValueAndCancelsTheUpstream() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>()
        probe.timeout(.seconds(5), scheduler: scheduler).subscribe(recorder)
        scheduler.advance(by: .milliseconds(4999))
        #expect(recorder.events == [.subscription("Timeout")])
        scheduler.advance(by: .milliseconds(1))
        #expect(recorder.events == [.subscription("Timeout"), .completion(.finished)])
        #expect(probe.cancellations == 1)
        #expect(!scheduler.hasWork)
    }

    @Test func failsWithTheCustomError() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = Recorder<TestError>()
        probe.timeout(.seconds(5), scheduler: scheduler, customError: { .first }).subscribe(recorder)
        scheduler.advance(by: .seconds(5))
        #expect(recorder.completion == .failure(.first))
        #expect(probe.cancellations == 1)
    }

    @Test func restartsTheClockWithEachValue() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>(initialDemand: .max(2), demandPerValue: .max(1))
        probe.timeout(.seconds(5), scheduler: scheduler).subscribe(recorder)
        for value in 1...4 {
            scheduler.advance(by: .seconds(4))
            #expect(probe.send(value) == .none)
            #expect(recorder.values.count == value - 1)
        }
        scheduler.advance(by: .milliseconds(4999))
        #expect(recorder.values == [1, 2, 3, 4])
        #expect(recorder.completion == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(recorder.completion == .finished)
        #expect(probe.requests == [.max(2), .max(1), .max(1), .max(1), .max(1)])
        #expect(recorder.violations == [])
    }

    @Test func restartsTheClockWithTheFirstRequestOnly() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>(initialDemand: .none)
        probe.timeout(.seconds(5), scheduler: scheduler).subscribe(recorder)
        scheduler.advance(by: .seconds(3))
        recorder.request(.max(1))
        scheduler.advance(by: .seconds(3))
        recorder.request(.max(1))
        #expect(recorder.completion == nil)
        scheduler.advance(by: .seconds(2))
        #expect(recorder.completion == .finished)
    }

    @Test func completionFollowsTheValuesAndStopsTheClock() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = Recorder<TestError>()
        probe.timeout(.seconds(5), scheduler: scheduler).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(recorder.values == [])
        scheduler.advance()
        #expect(
            recorder.events == [.subscription("Timeout"), .value(1), .completion(.failure(.first))])
        #expect(!scheduler.hasWork)
        #expect(probe.cancellations == 0)
    }

    @Test func cancellationStopsTheClockAndReleasesEverything() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<LifetimeToken, Never>()
        var subscription: AnyCancellable?
        do {
            let closure = lifetimes.token("closure")
            subscription = probe.timeout(.seconds(5), scheduler: scheduler).sink { _ in
                withExtendedLifetime(closure) {}
                Issue.record("a value came after cancellation")
            }
            probe.send(lifetimes.token("value"))
        }
        subscription?.cancel()
        #expect(probe.cancellations == 1)
        #expect(lifetimes.alive == [])
        scheduler.advance(by: .seconds(10))
    }

    @Test func timesOutAfterItsSourceIsReleased() {
        let recorder = Recorder<Never>()
        do {
            let subject = PassthroughSubject<Int, Never>()
            subject.timeout(.seconds(5), scheduler: scheduler).subscribe(recorder)
        }
        scheduler.advance(by: .seconds(5))
        #expect(recorder.completion == .finished)
    }

    @Test func ignoresSignalsAfterTheTimeout() {
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = Recorder<Never>()
        probe.timeout(.seconds(5), scheduler: scheduler).subscribe(recorder)
        scheduler.advance(by: .seconds(5))
        probe.send(1)
        probe.send(completion: .finished)
        scheduler.advance(by: .seconds(5))
        #expect(recorder.events == [.subscription("Timeout"), .completion(.finished)])
        #expect(recorder.violations == [])
    }

    @Test func deliversNothingAfterATimeoutOnAConcurrentQueue() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        for _ in 0..<50 {
            let subject = PassthroughSubject<Int, Never>()
            let recorder = Recorder<Never>()
            subject.timeout(.microseconds(200), scheduler: queue).subscribe(recorder)
            var value = 0
            while recorder.completion == nil, value < 300 {
                subject.send(value)
                value += 1
            }
            #expect(await recorder.wait())
            queue.sync(flags: .barrier) {}
            #expect(recorder.values == Array(0..<recorder.values.count))
            #expect(recorder.violations == [])
        }
    }

    @Test func ignoresSignalsOutOfTurn() {
        let probe = ProbePublisher<Int, Never>(sendsSubscription: false, retention: .always)
        let recorder = Recorder<Never>()
        probe.timeout(5, scheduler: scheduler).subscribe(recorder)
        probe.send(0)
        scheduler.advance(by: 10)
        #expect(recorder.events == [])
        probe.sendSubscription()
        probe.sendSubscription()
        #expect(probe.cancellations == 1)
        scheduler.advance(by: 5)
        #expect(recorder.events == [.subscription("Timeout"), .completion(.finished)])
    }

    @Test func neverComparesTimes() {
        let scheduler = ComparingScheduler()
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>()
        probe.timeout(.seconds(5), scheduler: scheduler).subscribe(recorder)
        scheduler.base.advance(by: .seconds(3))
        probe.send(1)
        scheduler.base.advance(by: .seconds(4))
        #expect(recorder.events == [.subscription("Timeout"), .value(1)])
        scheduler.base.advance(by: .seconds(1))
        #expect(recorder.completion == .finished)
        #expect(scheduler.comparisons.load(ordering: .relaxed) == 0)
        #expect(!scheduler.base.hasWork)
    }

    @Test func timesOutAtOnceOnAnImmediateScheduler() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let finishing = Recorder<TestError>()
        let failing = Recorder<TestError>()
        probe.timeout(5, scheduler: ImmediateScheduler.shared).subscribe(finishing)
        probe.timeout(first: 5, scheduler: ImmediateScheduler.shared, customError: { .first }).subscribe(failing)
        probe.send(1)
        #expect(finishing.events == [.subscription("Timeout"), .completion(.finished)])
        #expect(failing.events == [.subscription("Deadline"), .completion(.failure(.first))])
        #expect(probe.cancellations == 2)
        #expect(probe.requests == [])
        #expect(finishing.violations == [] && failing.violations == [])
    }

    @Test func ignoresRequestsForNothing() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>(initialDemand: .none)
        probe.timeout(.seconds(5), scheduler: scheduler).subscribe(recorder)
        scheduler.advance(by: .seconds(3))
        recorder.request(.none)
        scheduler.advance(by: .seconds(2))
        #expect(recorder.completion == .finished)
    }
}

/// A test scheduler whose times count their comparisons.
private final class ComparingScheduler: Scheduler, Sendable {
    let base = TestScheduler()
    let comparisons = Atomic(0)

    struct SchedulerTimeType: Strideable {
        let base: TestScheduler.SchedulerTimeType
        let scheduler: ComparingScheduler

        static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.scheduler.comparisons.add(1, ordering: .relaxed)
            return lhs.base == rhs.base
        }

        static func < (lhs: Self, rhs: Self) -> Bool {
            lhs.scheduler.comparisons.add(1, ordering: .relaxed)
            return lhs.base < rhs.base
        }

        func distance(to other: Self) -> TestScheduler.SchedulerTimeType.Stride { base.distance(to: other.base) }

        func advanced(by stride: TestScheduler.SchedulerTimeType.Stride) -> Self {
            Self(base: base.advanced(by: stride), scheduler: scheduler)
        }
    }

    var now: SchedulerTimeType { SchedulerTimeType(base: base.now, scheduler: self) }
    var minimumTolerance: TestScheduler.SchedulerTimeType.Stride { base.minimumTolerance }

    func schedule(options: Never?, _ action: @escaping @Sendable () -> Void) {
        base.schedule(options: nil, action)
    }

    func schedule(
        after date: SchedulerTimeType, tolerance: TestScheduler.SchedulerTimeType.Stride, options: Never?,
        _ action: @escaping @Sendable () -> Void
    ) {
        base.schedule(after: date.base, tolerance: tolerance, options: nil, action)
    }

    func schedule(
        after date: SchedulerTimeType, interval: TestScheduler.SchedulerTimeType.Stride,
        tolerance: TestScheduler.SchedulerTimeType.Stride, options: Never?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        base.schedule(after: date.base, interval: interval, tolerance: tolerance, options: nil, action)
    }
}
