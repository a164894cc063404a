import Foundation
import Streams

#if canImport(Darwin)
import Combine

extension RunLoop.SchedulerTimeType.Stride: Streams.SchedulerTimeIntervalConvertible {}

// The system's own conformance to Combine's protocol brings the types and methods with it.
extension RunLoop: Streams.Scheduler {
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Streams.Cancellable {
        let work: any Combine.Cancellable = schedule(
            after: date, interval: interval, tolerance: tolerance, options: options, action)
        return Streams.AnyCancellable { work.cancel() }
    }
}
#else
extension RunLoop: Scheduler {
    /// There are none.
    public struct SchedulerOptions: Sendable {}

    public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs work in the loop's next turn in its default mode, also of a loop that is asleep.
    @preconcurrency
    public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        perform(action)
        // Work alone does not wake a loop that waits in another thread, a timer does.
        add(Timer(timeInterval: 0, repeats: false) { _ in }, forMode: .default)
    }

    /// Runs work at a time or soon after it, in the loop's default mode.
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        let timer = Timer(fire: date.date, interval: 0, repeats: false) { _ in action() }
        timer.tolerance = tolerance.timeInterval
        add(timer, forMode: .default)
    }

    /// Runs work at a time, and again after every interval, in the loop's default mode, until the result is cancelled
    /// or released.
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        let timer = Timer(fire: date.date, interval: interval.timeInterval, repeats: true) { _ in action() }
        timer.tolerance = tolerance.timeInterval
        add(timer, forMode: .default)
        return AnyCancellable(RunningTimer(timer: timer))
    }
}
#endif
