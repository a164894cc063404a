/// Decides when and where a piece of work runs.
///
/// The requirements that take work are `@preconcurrency`, so that generic code written before strict concurrency keeps
/// compiling.
public protocol Scheduler<SchedulerTimeType> {
    /// A point in time on this scheduler's clock.
    associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible

    /// Settings of one piece of work that only this kind of scheduler knows.
    associatedtype SchedulerOptions

    /// The current time on this scheduler's clock.
    var now: SchedulerTimeType { get }

    /// The smallest tolerance this scheduler honours.
    var minimumTolerance: SchedulerTimeType.Stride { get }

    /// Runs work as soon as possible.
    @preconcurrency
    func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void)

    /// Runs work at a time or soon after it.
    @preconcurrency
    func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    )

    /// Runs work at a time, and again after every interval, until the result is cancelled.
    @preconcurrency
    func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable
}

extension Scheduler {
    /// Runs work as soon as possible, with default options.
    @preconcurrency
    @inlinable
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        schedule(options: nil, action)
    }

    /// Runs work at a time or soon after it, with the smallest tolerance and default options.
    @preconcurrency
    @inlinable
    public func schedule(after date: SchedulerTimeType, _ action: @escaping @Sendable () -> Void) {
        schedule(after: date, tolerance: minimumTolerance, options: nil, action)
    }

    /// Runs work at a time or soon after it, with default options.
    @preconcurrency
    @inlinable
    public func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        _ action: @escaping @Sendable () -> Void
    ) {
        schedule(after: date, tolerance: tolerance, options: nil, action)
    }

    /// Runs work at a time, and again after every interval, with default options, until the result is cancelled.
    @preconcurrency
    @inlinable
    public func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
    }

    /// Runs work at a time, and again after every interval, with the smallest tolerance and default options, until the
    /// result is cancelled.
    @preconcurrency
    @inlinable
    public func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
    }
}

/// A duration that can be written in the usual units.
public protocol SchedulerTimeIntervalConvertible {
    /// Whole seconds.
    static func seconds(_ s: Int) -> Self
    /// Seconds and parts of one, as exactly as the type has them.
    static func seconds(_ s: Double) -> Self
    /// Thousandths of a second.
    static func milliseconds(_ ms: Int) -> Self
    /// Millionths of a second.
    static func microseconds(_ us: Int) -> Self
    /// Billionths of a second.
    static func nanoseconds(_ ns: Int) -> Self
}
