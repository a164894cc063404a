/// A closure for a scheduler to run, which an operator vouches for.
///
/// A `@Sendable` closure made in a generic context would have to carry the types of it along, which need not be
/// `Sendable`. This one hides them, and is still specialised for them.
@usableFromInline
struct ScheduledWork {
    /// The same with a type that says so. It looks alike in memory, since being sendable is a matter of types only.
    @usableFromInline
    struct Vouched {
        @usableFromInline let run: @Sendable () -> Void
    }

    @usableFromInline let run: () -> Void

    @inlinable
    init(_ run: @escaping () -> Void) {
        self.run = run
    }

    // Safe because operators give schedulers only objects that may be used from any thread, or that nobody else uses
    // any more.
    @inlinable var vouched: Vouched { unsafeBitCast(self, to: Vouched.self) }
}

extension Scheduler {
    /// Runs work as soon as possible.
    @inlinable
    func schedule(_ work: ScheduledWork, options: SchedulerOptions?) {
        schedule(options: options, work.vouched.run)
    }

    /// Runs work at a time or soon after it.
    @inlinable
    func schedule(
        _ work: ScheduledWork, after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?
    ) {
        schedule(after: date, tolerance: tolerance, options: options, work.vouched.run)
    }

    /// Runs work at a time, and again after every interval, until the result is cancelled.
    @inlinable
    func schedule(
        _ work: ScheduledWork, after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
        options: SchedulerOptions?
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: minimumTolerance, options: options, work.vouched.run)
    }
}
