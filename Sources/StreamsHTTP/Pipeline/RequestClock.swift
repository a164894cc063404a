import Dispatch

/// What time it is for requests, and how they wait: for a retry, or for their deadline.
struct RequestClock: Sendable {
    private let start: @Sendable (Duration, @escaping @Sendable () -> Void) -> any Cancellable & Sendable
    /// The time since the clock was made. Asks a scheduler, which may be anybody's.
    private let elapsed: @Sendable () -> Duration

    /// A clock that waits on a scheduler.
    init<Context: Scheduler & Sendable>(_ scheduler: Context) {
        start = { delay, action in
            let alarm = Alarm()
            let delay = Context.SchedulerTimeType.Stride.nanoseconds(Int(clamping: delay.nanoseconds))
            let due = scheduler.now.advanced(by: delay)
            // A repeating action, for that is the one a scheduler can take back.
            let timer = scheduler.schedule(
                after: due, interval: .seconds(Self.farAway), tolerance: scheduler.minimumTolerance, options: nil
            ) { [weak alarm] in
                if alarm?.ring() == true { action() }
            }
            alarm.arm(timer)
            return alarm
        }
        let birth = Instant(value: scheduler.now)
        elapsed = { .nanoseconds(birth.value.distance(to: scheduler.now).wholeNanoseconds) }
    }

    /// The time since the clock was made.
    var now: Duration { elapsed() }

    /// Puts an input to a subscription after a while, which keeps it until then: nothing else may.
    func schedule(
        _ delay: Duration, _ source: any EventSource,
        _ input: @escaping @Sendable (inout ExchangeMachine) -> ExchangeMachine.Effects
    ) -> any Cancellable & Sendable {
        start(delay) { source.handle(input) }
    }

    /// Calls back once, after a while, unless the result is cancelled before.
    func schedule(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable & Sendable {
        start(delay, action)
    }

    private static let farAway = 86_400 * 365
}

/// A scheduler's time, carried along.
// Safe because it is a value that nobody changes.
private struct Instant<Value>: @unchecked Sendable {
    let value: Value
}

extension SchedulerTimeIntervalConvertible where Self: Comparable {
    /// The interval in nanoseconds, rounded down; zero where it is negative. A scheduler makes intervals of numbers,
    /// and does not say how to get back, so this looks for the number.
    fileprivate var wholeNanoseconds: Int64 {
        var (low, high) = (0, 1)
        while high < Int.max / 2, .nanoseconds(high) <= self { (low, high) = (high, high * 2) }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if .nanoseconds(middle) <= self { low = middle } else { high = middle }
        }
        return Int64(low)
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, hasOverflown) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return hasOverflown ? .max : whole.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
    }
}
