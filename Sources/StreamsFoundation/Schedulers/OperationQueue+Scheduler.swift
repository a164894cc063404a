import Foundation
import Streams

#if canImport(Darwin)
import Combine

extension OperationQueue.SchedulerTimeType.Stride: Streams.SchedulerTimeIntervalConvertible {}

// The system's own conformance to Combine's protocol brings the types and methods with it.
extension OperationQueue: Streams.Scheduler {
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
extension OperationQueue: Scheduler {
    /// There are none.
    public struct SchedulerOptions: Sendable {}

    public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs work as an operation of the queue.
    @preconcurrency
    public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        addOperation(BlockOperation(block: action))
    }

    /// Runs work as an operation of the queue that is not ready before a time.
    ///
    /// The queue counts the operation among its own meanwhile: who waits for all of them waits for this one too.
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        add(DelayedOperation(date: date.date, action))
    }

    /// Runs work as an operation of the queue that is not ready before a time, and again after every interval, until
    /// the result is cancelled or released.
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        let repetition = OperationRepetition(queue: self, interval: interval.timeInterval, action)
        repetition.add(at: date.date)
        return AnyCancellable(repetition)
    }

    func add(_ operation: DelayedOperation) {
        addOperation(operation)
        operation.startWaiting()
    }
}
#endif
