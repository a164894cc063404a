/// The timer of an operator that sets one timer after the other, each for one event. `Interval` and
/// `limitRate(_:per:scheduler:)` use it.
///
/// At most one timer is running or being handled, so the events are serial on a concurrent scheduler, too. On a scheduler
/// that runs work at once, a timer fires before it is stored: the thread that sets it handles it afterwards, so that
/// handlers do not nest on the stack (rule 5).
///
/// It is a value, guarded by the lock of its operator, which sets and cancels timers outside that lock (rule 3).
struct SerialTimer {
    private var slot = TimerSlot()
    /// Whether a thread is setting a timer.
    private var isSetting = false
    /// Whether that timer has fired meanwhile, and is handled by that thread.
    private var hasFired = false

    /// Begins to set a timer.
    ///
    /// - Returns: The generation of the timer.
    mutating func beginSetting() -> UInt64 {
        isSetting = true
        return slot.generation
    }

    /// Stores the timer that was set.
    ///
    /// - Returns: Whether it is stored, and whether it has fired, so that the caller handles it. If it is not stored, the
    ///   caller cancels it.
    mutating func endSetting(_ timer: any Cancellable, generation: UInt64) -> (isStored: Bool, hasFired: Bool) {
        isSetting = false
        return (slot.store(timer, generation: generation), exchange(&hasFired, with: false))
    }

    /// Records that a timer has fired. One that repeats before it is cancelled is of an earlier generation, and ignored.
    ///
    /// - Returns: The timer, to be cancelled by the caller, and whether the caller handles the event.
    mutating func fire(_ generation: UInt64) -> (timer: (any Cancellable)?, isHandler: Bool) {
        guard generation == slot.generation else { return (nil, false) }
        if isSetting { hasFired = true }
        return (slot.advance(), !isSetting)
    }

    /// Makes all timers late.
    ///
    /// - Returns: The current timer, to be cancelled by the caller.
    mutating func stop() -> (any Cancellable)? {
        slot.advance()
    }
}
