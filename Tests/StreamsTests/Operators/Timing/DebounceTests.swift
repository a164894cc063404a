import Streams
import StreamsTesting
import Testing

@Suite("debounce", .timeLimit(.minutes(15)))
struct DebounceTests {
    typealias Recorder<Failure: Error> = RecordingSubscriber<Int, Failure>

    let scheduler = TestScheduler()

    @Test func deliversTheLastValueOfABurst() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>()
        probe.debounce(for: .seconds(2), scheduler: scheduler).subscribe(recorder)
        #expect(probe.requests == [.unlimited])
        for value in 1...3 {
            #expect(probe.send(value) == .none)
            scheduler.advance(by: .seconds(1))
        }
        scheduler.advance(by: .milliseconds(999))
        #expect(recorder.events == [.subscription("Debounce")])
        scheduler.advance(by: .milliseconds(1))
        #expect(recorder.values == [3])
        #expect(!scheduler.hasWork)
    }

    @Test func dropsAValueWithoutDemand() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>(initialDemand: .max(1))
        probe.debounce(for: .seconds(1), scheduler: scheduler).subscribe(recorder)
        for value in 1...2 {
            probe.send(value)
            scheduler.advance(by: .seconds(1))
        }
        recorder.request(.max(1))
        scheduler.advance(by: .seconds(5))
        #expect(recorder.values == [1])
        probe.send(3)
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [1, 3])
    }

    @Test func completionDropsTheHeldValue() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = Recorder<TestError>()
        probe.debounce(for: .seconds(1), scheduler: scheduler).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("Debounce")])
        scheduler.advance()
        #expect(recorder.events == [.subscription("Debounce"), .completion(.failure(.first))])
        #expect(!scheduler.hasWork)
    }

    @Test func cancellationStopsTheTimerAndReleasesEverything() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<LifetimeToken, Never>()
        var subscription: AnyCancellable?
        do {
            let closure = lifetimes.token("closure")
            subscription = probe.debounce(for: .seconds(5), scheduler: scheduler).sink { _ in
                withExtendedLifetime(closure) {}
                Issue.record("a value came after cancellation")
            }
            probe.send(lifetimes.token("value"))
        }
        subscription?.cancel()
        #expect(probe.cancellations == 1)
        #expect(lifetimes.alive == [])
        #expect(!scheduler.hasWork)
    }

    @Test func releasesAReplacedValueAtOnce() {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<LifetimeToken, Never>()
        let subscription = probe.debounce(for: .seconds(5), scheduler: scheduler).sink { _ in }
        probe.send(lifetimes.token("first"))
        probe.send(lifetimes.token("second"))
        #expect(lifetimes.alive == ["second"])
        subscription.cancel()
    }

    @Test func deliversAValueAfterItsSourceIsReleased() {
        let recorder = Recorder<Never>()
        do {
            let subject = PassthroughSubject<Int, Never>()
            subject.debounce(for: .seconds(1), scheduler: scheduler).subscribe(recorder)
            subject.send(1)
        }
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [1])
    }

    @Test func ignoresTimersThatFireAfterTheyWereCancelled() {
        let scheduler = UncancellableScheduler()
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>()
        probe.debounce(for: 1, scheduler: scheduler).subscribe(recorder)
        probe.send(1)
        probe.send(2)
        scheduler.fireTimer(0)
        #expect(recorder.values == [])
        scheduler.fireTimer(1)
        scheduler.fireTimer(1)
        scheduler.fireTimer(0)
        #expect(recorder.values == [2])
        probe.send(3)
        recorder.cancel()
        scheduler.fireTimer(2)
        #expect(recorder.values == [2])
    }
}

/// A scheduler whose timers fire on request, also after their cancellation.
private final class UncancellableScheduler: Scheduler, Sendable {
    private let base = TestScheduler()
    private let timers = LockedValue<[@Sendable () -> Void]>([])

    func fireTimer(_ index: Int) {
        timers.value[index]()
    }

    var now: TestScheduler.SchedulerTimeType { base.now }
    var minimumTolerance: TestScheduler.SchedulerTimeType.Stride { base.minimumTolerance }

    func schedule(options: Never?, _ action: @escaping @Sendable () -> Void) {
        action()
    }

    func schedule(
        after date: TestScheduler.SchedulerTimeType, tolerance: TestScheduler.SchedulerTimeType.Stride, options: Never?,
        _ action: @escaping @Sendable () -> Void
    ) {
        timers.update { $0.append(action) }
    }

    func schedule(
        after date: TestScheduler.SchedulerTimeType, interval: TestScheduler.SchedulerTimeType.Stride,
        tolerance: TestScheduler.SchedulerTimeType.Stride, options: Never?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        timers.update { $0.append(action) }
        return Subscriptions.empty
    }
}
