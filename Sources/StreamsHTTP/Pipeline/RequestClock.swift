import Dispatch

/// What time it is for requests, and how they wait: for a retry, or for their deadline.
struct RequestClock: Sendable {
    private let start: @Sendable (Duration, @escaping @Sendable () -> Void) -> any Cancellable & Sendable

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
    }

    /// Calls back once after a while, unless it is cancelled before.
    func schedule(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable & Sendable {
        start(delay, action)
    }

    /// Puts an input to a subscription after a while, which keeps it until then: nothing else may.
    func schedule(
        _ delay: Duration, _ source: any EventSource,
        _ input: @escaping @Sendable (inout ExchangeMachine) -> ExchangeMachine.Effects
    ) -> any Cancellable & Sendable {
        start(delay) { source.handle(input) }
    }

    private static let farAway = 86_400 * 365
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, hasOverflown) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return hasOverflown ? .max : whole.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
    }
}
