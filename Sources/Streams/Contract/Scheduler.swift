/// A type that runs work at a time of its own clock and on threads of its choice.
///
/// Methods that take work are `@preconcurrency`, so that generic code from before strict concurrency compiles.
public protocol Scheduler<SchedulerTimeType> {
    /// A point in time on this scheduler's clock.
    associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible

    /// Options for one piece of work that only this kind of scheduler has.
    associatedtype SchedulerOptions

    /// The current time on this scheduler's clock.
    var now: SchedulerTimeType { get }

    /// The smallest tolerance that this scheduler supports.
    var minimumTolerance: SchedulerTimeType.Stride { get }

    /// Runs work as soon as possible.
    @preconcurrency
    func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void)

    /// Runs work at a time or soon after it.
    @preconcurrency
    func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    )

    /// Runs work at a time, and again after every interval, until the result is cancelled.
    @preconcurrency
    func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable
}

extension Scheduler {
    /// Runs work as soon as possible, with default options.
    @preconcurrency
    @inlinable
    public func schedule(_ action: @escaping @Sendable () -> Void) { schedule(options: nil, action) }

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
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, _ action: @escaping @Sendable () -> Void
    ) {
        schedule(after: date, tolerance: tolerance, options: nil, action)
    }

    /// Runs work at a time, and again after every interval, with default options, until the result is cancelled.
    @preconcurrency
    @inlinable
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
    }

    /// Runs work at a time and after every interval until cancelled, with the smallest tolerance and default options.
    @preconcurrency
    @inlinable
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
    }
}

/// A duration that can be written in the usual units of time.
public protocol SchedulerTimeIntervalConvertible {
    /// Returns a number of whole seconds.
    static func seconds(_ s: Int) -> Self
    /// Returns a number of seconds, as exactly as the type can represent it.
    static func seconds(_ s: Double) -> Self
    /// Returns a number of milliseconds.
    static func milliseconds(_ ms: Int) -> Self
    /// Returns a number of microseconds.
    static func microseconds(_ us: Int) -> Self
    /// Returns a number of nanoseconds.
    static func nanoseconds(_ ns: Int) -> Self
}
