import Dispatch
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
        // Fires before the second value is due, and is started again.
        scheduler.fireTimer(0)
        #expect(recorder.values == [])
        scheduler.fireTimer(0)
        scheduler.fireTimer(1)
        scheduler.fireTimer(1)
        scheduler.fireTimer(0)
        #expect(recorder.values == [2])
        probe.send(3)
        recorder.cancel()
        scheduler.fireTimer(2)
        #expect(recorder.values == [2])
    }

    @Test func startsFewTimersForABurst() {
        let scheduler = CountingScheduler()
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>()
        probe.debounce(for: .milliseconds(100), scheduler: scheduler).subscribe(recorder)
        for value in 1...1_000 {
            probe.send(value)
            scheduler.base.advance(by: .milliseconds(1))
        }
        scheduler.base.advance(by: .milliseconds(98))
        #expect(recorder.values == [])
        scheduler.base.advance(by: .milliseconds(1))
        #expect(recorder.values == [1_000])
        #expect(scheduler.timers.value <= 12)
        #expect(!scheduler.base.hasWork)
    }

    @Test func deliversEachValueExactlyDueTimeAfterIt() {
        let random = SeededRandom()
        for _ in 0..<50 {
            let scheduler = TestScheduler()
            let probe = ProbePublisher<Int, Never>()
            let delivered = LockedValue<[Int: Int]>([:])
            let start = scheduler.now
            let recorder = Recorder<Never> { _, event in
                guard let value = event.value else { return }
                delivered.update { $0[value] = start.distance(to: scheduler.now).nanoseconds / 1_000_000 }
            }
            probe.debounce(for: .milliseconds(50), scheduler: scheduler).subscribe(recorder)
            var expected: [Int: Int] = [:]
            var time = 0
            for value in 0..<40 {
                probe.send(value)
                let gap = random.pick(0...99)
                if gap >= 50 { expected[value] = time + 50 }
                time += gap
                scheduler.advance(by: .milliseconds(gap))
            }
            probe.send(completion: .finished)
            scheduler.advance(by: .seconds(1))
            #expect(delivered.value == expected, "\(random)")
        }
    }

    @Test func deliversTheNewestValueWhenTheTimerFiresLate() {
        let probe = ProbePublisher<Int, Never>()
        let recorder = Recorder<Never>()
        probe.debounce(for: .seconds(2), scheduler: scheduler).subscribe(recorder)
        probe.send(1)
        scheduler.advance(by: .seconds(1))
        probe.send(2)
        scheduler.jump(by: .seconds(10))
        #expect(recorder.values == [2])
        #expect(!scheduler.hasWork)
    }

    @Test func completionDeliversTheHeldValueIfWanted() {
        for demand in [Subscribers.Demand.unlimited, .max(1), .none] {
            let probe = ProbePublisher<Int, TestError>()
            let recorder = Recorder<TestError>(initialDemand: demand)
            probe.debounce(for: .seconds(1), scheduler: scheduler, emitLast: true).subscribe(recorder)
            probe.send(1)
            probe.send(2)
            probe.send(completion: .finished)
            #expect(recorder.events == [.subscription("Debounce")])
            scheduler.advance()
            #expect(recorder.values == (demand == .none ? [] : [2]))
            #expect(recorder.completion == .finished)
            #expect(!scheduler.hasWork)
        }
    }

    @Test func completionWithoutAHeldValueComesAlone() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = Recorder<TestError>()
        probe.debounce(for: .seconds(1), scheduler: scheduler, emitLast: true).subscribe(recorder)
        probe.send(1)
        scheduler.advance(by: .seconds(1))
        probe.send(completion: .finished)
        scheduler.advance()
        #expect(recorder.events == [.subscription("Debounce"), .value(1), .completion(.finished)])
    }

    @Test func failureDropsTheHeldValue() {
        let probe = ProbePublisher<Int, TestError>()
        let recorder = Recorder<TestError>()
        probe.debounce(for: .seconds(1), scheduler: scheduler, emitLast: true).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.first))
        scheduler.advance(by: .seconds(5))
        #expect(recorder.events == [.subscription("Debounce"), .completion(.failure(.first))])
    }

    @Test func keepsTheOrderAndTheLastValueOnAConcurrentQueue() async {
        for _ in 0..<20 {
            let subject = PassthroughSubject<Int, Never>()
            let recorder = Recorder<Never>()
            subject.debounce(for: .microseconds(20), scheduler: DispatchQueue.global(), emitLast: true)
                .subscribe(recorder)
            for value in 0..<1_000 { subject.send(value) }
            subject.send(completion: .finished)
            #expect(await recorder.wait())
            #expect(recorder.values.last == 999)
            #expect(recorder.values == recorder.values.sorted())
            #expect(recorder.violations == [])
        }
    }

    @Test func deliversNoValueEarlyOnADispatchQueue() async {
        let subject = PassthroughSubject<Int, Never>()
        let sent = LockedValue<[Int: ContinuousClock.Instant]>([:])
        let delivered = LockedValue<[Int: ContinuousClock.Instant]>([:])
        let recorder = Recorder<Never> { _, event in
            if let value = event.value { delivered.update { $0[value] = .now } }
        }
        let queue = DispatchQueue(label: "debounce")
        subject.debounce(for: .milliseconds(50), scheduler: queue).subscribe(recorder)
        let last = CountdownLatch()
        for (value, delay) in [0, 20, 40, 200].enumerated() {
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) {
                sent.update { $0[value] = .now }
                subject.send(value)
                if value == 3 { last.fire() }
            }
        }
        await last.wait()
        while recorder.values.last != 3 { #expect(await recorder.wait(forValues: recorder.values.count + 1)) }
        for (value, date) in delivered.value {
            let duration = sent.value[value].map { $0.duration(to: date) } ?? .zero
            #expect(duration >= .milliseconds(50), "\(value) after \(duration)")
        }
    }
}

/// A scheduler that counts the timers that are started on it.
private final class CountingScheduler: Scheduler, Sendable {
    let base = TestScheduler()
    let timers = Counter()

    var now: TestScheduler.SchedulerTimeType { base.now }
    var minimumTolerance: TestScheduler.SchedulerTimeType.Stride { base.minimumTolerance }

    func schedule(options: Never?, _ action: @escaping @Sendable () -> Void) {
        base.schedule(options: options, action)
    }

    func schedule(
        after date: TestScheduler.SchedulerTimeType, tolerance: TestScheduler.SchedulerTimeType.Stride, options: Never?,
        _ action: @escaping @Sendable () -> Void
    ) {
        base.schedule(after: date, tolerance: tolerance, options: options, action)
    }

    func schedule(
        after date: TestScheduler.SchedulerTimeType, interval: TestScheduler.SchedulerTimeType.Stride,
        tolerance: TestScheduler.SchedulerTimeType.Stride, options: Never?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        timers.increment()
        return base.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
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
