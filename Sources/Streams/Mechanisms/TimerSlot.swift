/// The current timer of an operator. `debounce`, `sample(every:)`, `timeout` and `collect(.byTime)` use it.
///
/// A timer that was replaced or stopped can fire all the same, and one that fires at once does so before it can be
/// stored. So timers carry the generation they were started in, and one of an earlier generation is late and ignored.
///
/// It is a value, guarded by the lock of its operator. Timers are cancelled outside that lock (rule 3): methods that
/// take a timer out return it to the caller.
@usableFromInline
struct TimerSlot {
    @usableFromInline var timer: (any Cancellable)?
    @usableFromInline var generation: UInt64 = 0

    @inlinable
    init() {}

    /// Begins a generation, in which earlier timers are late.
    ///
    /// - Returns: The current timer, to be cancelled by the caller.
    @inlinable
    mutating func advance() -> (any Cancellable)? {
        generation &+= 1
        return timer.take()
    }

    /// Stores a timer unless it is late.
    ///
    /// - Returns: Whether it is stored. Otherwise the caller cancels it.
    @inlinable
    mutating func store(_ timer: any Cancellable, generation: UInt64) -> Bool {
        guard generation == self.generation, self.timer == nil else { return false }
        self.timer = timer
        return true
    }

    /// Cancels the timer. Call it outside the lock, with a slot that was taken out.
    @usableFromInline
    func cancel() {
        timer?.cancel()
    }
}

extension Scheduler {
    /// Starts a timer that runs a job at a time, and again after every interval, until the timer is cancelled.
    @inlinable
    func startTimer(
        at date: SchedulerTimeType, interval: SchedulerTimeType.Stride, options: SchedulerOptions?, _ job: ScheduledJob
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: minimumTolerance, options: options, job.action)
    }
}
