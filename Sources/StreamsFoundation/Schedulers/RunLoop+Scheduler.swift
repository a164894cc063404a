import Foundation
import Streams

#if canImport(Darwin)
import Combine

extension RunLoop.SchedulerTimeType.Stride: Streams.SchedulerTimeIntervalConvertible {}

// The conformance to Combine's protocol provides the types and the other methods.
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
/// Run loops run work in their default mode. The main run loop has the main dispatch queue run it, which is drained in a
/// program with an asynchronous `main` too.
extension RunLoop: Scheduler {
    /// Run loops have no options.
    public struct SchedulerOptions: Sendable {}

    public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs an action in the run loop's next iteration in its default mode, and wakes the run loop.
    @preconcurrency
    public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        if let queue { return queue.schedule(action) }
        perform(action)
        // `perform` does not wake a run loop that waits on another thread. A timer does.
        add(Timer(timeInterval: 0, repeats: false) { _ in }, forMode: .default)
    }

    /// Runs an action at a time or soon after it, in the run loop's default mode.
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        if let queue {
            let delay = date.date.timeIntervalSinceNow
            return queue.schedule(
                after: queue.now.advanced(by: .seconds(delay)), tolerance: .seconds(tolerance.timeInterval), action)
        }
        let timer = Timer(fire: date.date, interval: 0, repeats: false) { _ in action() }
        timer.tolerance = tolerance.timeInterval
        add(timer, forMode: .default)
    }

    /// Runs an action at a time, and again after every interval, in the run loop's default mode.
    ///
    /// - Returns: A cancellable that ends the repetition when it is cancelled or released.
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        AnyCancellable(
            startTimer(
                at: date.date, interval: interval.timeInterval, tolerance: tolerance.timeInterval, mode: .default,
                action))
    }
}
#endif
