import Dispatch
import Streams
import StreamsTesting
import Testing

private typealias Time = TestScheduler.SchedulerTimeType

/// A list of lines that actions add.
private final class Log: Sendable {
    private let lines = Locked<[String]>([])

    var entries: [String] { lines.withLock { $0 } }

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

@Suite("A test scheduler")
struct TestSchedulerTests {
    private let scheduler = TestScheduler()
    private let log = Log()

    private func schedule(_ line: String, at seconds: TestScheduler.SchedulerTimeType.Stride) {
        scheduler.schedule(after: Time(sinceStart: seconds)) { [log] in log.add(line) }
    }

    @Test("Nothing runs until the clock moves, not even actions that are due")
    func standsStill() {
        scheduler.schedule { [log] in log.add("now") }
        #expect(log.entries == [])
        scheduler.advance()
        #expect(log.entries == ["now"])
        #expect(scheduler.now == .start)
    }

    @Test("Actions run in the order of their times, then in the order of scheduling")
    func order() {
        let expected = (0..<300).map { "\($0 % 7) \($0)" }
        for (index, line) in expected.enumerated() {
            schedule(line, at: .seconds(index % 7))
        }
        scheduler.advance(by: 10)
        let sorted = (0..<7).flatMap { second in expected.filter { $0.hasPrefix("\(second) ") } }
        #expect(log.entries == sorted)
    }

    @Test("Actions up to the clock's new time run, each at its own time")
    func times() {
        for second in [1, 2, 3] {
            scheduler.schedule(after: Time(sinceStart: .seconds(second))) { [scheduler, log] in
                log.add(scheduler.now.description)
            }
        }
        scheduler.advance(by: 2)
        #expect(log.entries == ["1.0 s", "2.0 s"])
        scheduler.advance(to: Time(sinceStart: 2.5))
        #expect(scheduler.now == Time(sinceStart: .milliseconds(2500)))
        scheduler.advance(by: 0.5)
        #expect(log.entries == ["1.0 s", "2.0 s", "3.0 s"])
    }

    @Test("An action scheduled by an action runs in the same call if it is due")
    func nestedWork() {
        scheduler.schedule(after: Time(sinceStart: 1)) { [scheduler, log] in
            log.add("outer")
            scheduler.schedule { log.add("at once") }
            scheduler.schedule(after: scheduler.now.advanced(by: 1)) { log.add("due") }
            scheduler.schedule(after: scheduler.now.advanced(by: 5)) { log.add("not due") }
            scheduler.schedule(after: .start) { log.add("past") }
        }
        scheduler.advance(by: 2)
        #expect(log.entries == ["outer", "at once", "past", "due"])
    }

    @Test("Moving the clock inside an action runs due actions, and time never goes back")
    func nestedAdvance() {
        schedule("third", at: 3)
        scheduler.schedule(after: Time(sinceStart: 1)) { [scheduler, log] in
            scheduler.advance(by: 4)
            log.add("first is back")
        }
        scheduler.advance(by: 2)
        #expect(log.entries == ["third", "first is back"])
        #expect(scheduler.now == Time(sinceStart: 5))
        scheduler.advance(to: .start)
        #expect(scheduler.now == Time(sinceStart: 5))
    }

    @Test("A repeated action runs until its cancellation, also from inside")
    func repeating() {
        let held = Locked<AnyCancellable?>(nil)
        let count = Locked(0)
        let work = scheduler.schedule(after: Time(sinceStart: 1), interval: 2) { [scheduler, log] in
            log.add(scheduler.now.description)
            if count.withLock({
                $0 += 1; return $0 == 3
            }) {
                held.withLock { $0.take() }?.cancel()
            }
        }
        held.withLock { $0 = AnyCancellable(work) }
        scheduler.advance(by: 100)
        #expect(log.entries == ["1.0 s", "3.0 s", "5.0 s"])
        #expect(!scheduler.hasWork)
    }

    @Test("A cancelled action is released and does not move the clock")
    func cancellation() throws {
        let lifetimes = LifetimeTracker()
        var work: (any Cancellable)?
        do {
            let token = lifetimes.token("work")
            work = scheduler.schedule(after: Time(sinceStart: 7), interval: 1) { withExtendedLifetime(token) {} }
        }
        #expect(lifetimes.alive == ["work"])
        work?.cancel()
        #expect(lifetimes.alive == [])
        try scheduler.run()
        #expect(scheduler.now == .start)
    }

    @Test("Releasing its cancellable ends a repeated action")
    func release() {
        var work: (any Cancellable)? = scheduler.schedule(after: .start, interval: 1) { [log] in log.add("tick") }
        scheduler.advance(by: 1)
        #expect(log.entries == ["tick", "tick"])
        withExtendedLifetime(work) {}
        work = nil
        scheduler.advance(by: 5)
        #expect(log.entries == ["tick", "tick"])
    }

    @Test("`run` ends at the time of the last action, and throws at its limit")
    func run() throws {
        schedule("late", at: 1000)
        try scheduler.run()
        #expect(log.entries == ["late"])
        #expect(scheduler.now == Time(sinceStart: 1000))

        let work = scheduler.schedule(after: .start, interval: 0) {}
        #expect(throws: TestScheduler.EndlessWork.self) { try scheduler.run(limit: 50) }
        work.cancel()
        schedule("last", at: 2000)
        try scheduler.run(limit: 1)
        #expect(log.entries.last == "last")
    }

    @Test("Several threads schedule actions and move the clock at once")
    func threads() {
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for step in 0..<500 {
                scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(step))) { [log] in
                    log.add("done")
                }
                scheduler.advance(by: .milliseconds(1))
            }
        }
        scheduler.advance(by: 10)
        #expect(log.entries.count == 4000)
        #expect(!scheduler.hasWork)
    }

    @Test("An action is pending until it is run or cancelled")
    func pending() {
        schedule("once", at: 1)
        let repeating = scheduler.schedule(after: Time(sinceStart: 1), interval: 1) {}
        #expect(scheduler.pendingCount == 2)
        scheduler.advance(by: 1)
        #expect(scheduler.pendingCount == 1)
        repeating.cancel()
        #expect(scheduler.pendingCount == 0)
    }

    @Test("An uncounted action is work, but not pending, until it is run, cancelled or released")
    func uncounted() async {
        let log = self.log
        let due = scheduler.scheduleUncounted(after: .milliseconds(1500)) { log.add("due") }
        let cancelled = scheduler.scheduleUncounted(after: .seconds(1)) { log.add("cancelled") }
        _ = scheduler.scheduleUncounted(after: .seconds(1)) { log.add("released") }
        schedule("counted", at: 2)
        #expect(scheduler.pendingCount == 1)
        #expect(await scheduler.wait(forPending: 1))
        cancelled.cancel()
        cancelled.cancel()
        scheduler.advance(by: 2)
        #expect(log.entries == ["due", "counted"])
        #expect(scheduler.pendingCount == 0 && !scheduler.hasWork)
        due.cancel()
        #expect(scheduler.pendingCount == 0 && !scheduler.hasWork)
    }

    @Test("Waiting ends with the number of pending actions or the limit")
    func waiting() async {
        DispatchQueue.global().async { [scheduler] in
            for second in 1...2 { scheduler.schedule(after: Time(sinceStart: .seconds(second))) {} }
        }
        #expect(await scheduler.wait(forPending: 2))
        #expect(await !scheduler.wait(forPending: 3, within: .milliseconds(5)))
        DispatchQueue.global().async { [scheduler] in scheduler.advance(by: 2) }
        #expect(await scheduler.wait(forPending: 0))
        #expect(await scheduler.wait(forPending: 0))
    }

    @Test("Waiting ends with the cancellation of its task", .timeLimit(.minutes(1)))
    func cancelledWaiting() async {
        let waiting = Task { [scheduler] in await scheduler.wait(forPending: 1, within: .seconds(1000)) }
        waiting.cancel()
        #expect(await !waiting.value)
    }

    @Test("A jump runs due actions late and once, and no action that they schedule")
    func jumping() {
        let repeating = scheduler.schedule(after: Time(sinceStart: 1), interval: 1) { [log] in log.add("repeating") }
        scheduler.schedule(after: Time(sinceStart: 2)) { [scheduler, log] in
            log.add(scheduler.now.description)
            scheduler.schedule { log.add("nested") }
        }
        schedule("not yet", at: 6)
        scheduler.jump(by: 5)
        #expect(log.entries == ["repeating", "5.0 s"])
        #expect(scheduler.now == Time(sinceStart: 5))
        scheduler.jump(by: 0)
        #expect(log.entries == ["repeating", "5.0 s", "nested"])
        scheduler.advance(by: 1)
        #expect(log.entries == ["repeating", "5.0 s", "nested", "not yet", "repeating"])
        repeating.cancel()
    }

    @Test("Settling waits for the tasks on the scheduler, before the clock moves")
    func settling() async {
        for second in [1, 2] {
            scheduler.schedule(after: Time(sinceStart: .seconds(second))) { [scheduler, log] in
                Task(executorPreference: scheduler) {
                    for _ in 0..<100 { await Task.yield() }
                    log.add("task at \(scheduler.now)")
                    scheduler.schedule { log.add("action at \(scheduler.now)") }
                }
            }
        }
        Task(executorPreference: scheduler) { [log] in log.add("first") }
        #expect(await scheduler.settle())
        #expect(log.entries == ["first"])
        #expect(await scheduler.settle(advancingBy: 5))
        #expect(
            log.entries == ["first", "task at 1.0 s", "action at 1.0 s", "task at 2.0 s", "action at 2.0 s"])
        #expect(scheduler.now == Time(sinceStart: 5))
    }

    /// An actor without an executor of its own.
    private actor Counter {
        private var count = 0

        func next() async -> Int {
            await Task.yield()
            count += 1
            return count
        }
    }

    @Test("Settling waits for child tasks and actors that a task on the scheduler calls")
    func settlingActors() async {
        let counter = Counter()
        Task(executorPreference: scheduler) { [log] in
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<10 { group.addTask { await counter.next() } }
                let sum = await group.reduce(0, +)
                log.add("\(sum)")
            }
        }
        await scheduler.settle()
        #expect(log.entries == ["55"])
    }

    @Test("Settling does not wait for a suspended task")
    func settlingSuspendedTasks() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let task = Task(executorPreference: scheduler) { [log] in
            for await value in stream { log.add("\(value)") }
        }
        await scheduler.settle()
        continuation.yield(1)
        await scheduler.settle()
        #expect(log.entries == ["1"])
        continuation.finish()
        await task.value
    }

    @Test("Settling ends with its limit and with the cancellation of its task", .timeLimit(.minutes(1)))
    func endlessSettling() async {
        let gate = DispatchSemaphore(value: 0)
        scheduler.runConcurrently { gate.wait() }
        #expect(await !scheduler.settle(within: .milliseconds(5)))
        let settling = Task { [scheduler] in await scheduler.settle() }
        settling.cancel()
        #expect(await !settling.value)
        gate.signal()
        #expect(await scheduler.settle())
    }

    @Test("A task on the scheduler may settle it")
    func settlingInside() async {
        schedule("later", at: 1)
        let task = Task(executorPreference: scheduler) { [scheduler] in await scheduler.settle(advancingBy: 1) }
        #expect(await task.value)
        #expect(log.entries == ["later"])
    }

    @Test("Durations saturate, and a number without a unit means seconds")
    func durations() {
        typealias Stride = TestScheduler.SchedulerTimeType.Stride
        #expect(Stride.seconds(.max) == .nanoseconds(.max))
        #expect(Stride.seconds(-1e300) == .nanoseconds(.min))
        #expect(Stride.nanoseconds(.max) + 1 == .nanoseconds(.max))
        #expect(Stride.nanoseconds(.min) - 1 == .nanoseconds(.min))
        #expect((-1 as Stride).magnitude == 1)
        #expect(3 * (1.5 as Stride) == .milliseconds(4500))
        #expect(Stride.nanoseconds(.min).magnitude == .nanoseconds(.max))
        #expect(Time.start.distance(to: Time(sinceStart: 2)) == .seconds(2))
    }
}
