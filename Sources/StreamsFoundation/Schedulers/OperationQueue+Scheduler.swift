import Foundation
import Streams

#if canImport(Darwin)
import Combine

extension OperationQueue.SchedulerTimeType.Stride: Streams.SchedulerTimeIntervalConvertible {}

// The conformance to Combine's protocol provides the types and the other methods.
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
    /// Operation queues have no options.
    public struct SchedulerOptions: Sendable {}

    public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs an action as an operation of the queue.
    @preconcurrency
    public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        addOperation(BlockOperation(block: action))
    }

    /// Runs an action as an operation of the queue that becomes ready at a time.
    ///
    /// The queue contains the operation until then, so `waitUntilAllOperationsAreFinished()` waits for it.
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        add(DelayedOperation(date: date.date, action))
    }

    /// Runs an action as an operation of the queue that becomes ready at a time, and again after every interval.
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
        let repetition = OperationRepetition(queue: self, interval: interval.timeInterval, action)
        repetition.add(at: date.date)
        return AnyCancellable(repetition)
    }

    func add(_ operation: DelayedOperation) {
        addOperation(operation)
        operation.startDelay()
    }
}
#endif
