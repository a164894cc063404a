import Dispatch

#if canImport(Darwin)
import Combine

// The system's own conformance to Combine's protocol brings the types and methods with it; declaring them a second time
// would make every use of them ambiguous.
extension DispatchQueue.SchedulerTimeType.Stride: Streams.SchedulerTimeIntervalConvertible {}

extension DispatchQueue: Streams.Scheduler {
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
        return Streams.AnyCancellable(CombineCancellable(work: work))
    }
}

private struct CombineCancellable: Streams.Cancellable {
    let work: any Combine.Cancellable

    func cancel() {
        work.cancel()
    }
}
#else
extension DispatchQueue: Scheduler {
    /// Settings of one piece of work.
    // Safe because the flags, which alone are not marked so, are a plain number.
    public struct SchedulerOptions: @unchecked Sendable {

        /// How urgent the work is.
        public var qos: DispatchQoS

        /// How the work is run.
        public var flags: DispatchWorkItemFlags

        /// A group the work belongs to. Work that is delayed or repeated does not join it.
        public var group: DispatchGroup?

        /// Settings that change nothing unless they are given.
        public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
            self.qos = qos
            self.flags = flags
            self.group = group
        }
    }

    public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    @preconcurrency
    public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        let options = options ?? SchedulerOptions()
        async(group: options.group, qos: options.qos, flags: options.flags, execute: action)
    }

    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        let options = options ?? SchedulerOptions()
        asyncAfter(deadline: date.dispatchTime, qos: options.qos, flags: options.flags, execute: action)
    }

    /// Runs work at a time, and again after every interval, until the result is cancelled or released.
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        let options = options ?? SchedulerOptions()
        let timer = DispatchSource.makeTimerSource(queue: self)
        timer.setEventHandler(qos: options.qos, flags: options.flags, handler: action)
        timer.schedule(deadline: date.dispatchTime, repeating: interval.timeInterval, leeway: tolerance.timeInterval)
        timer.resume()
        return AnyCancellable(TimerCancellable(timer: timer))
    }
}

private struct TimerCancellable: Cancellable {
    let timer: any DispatchSourceTimer

    func cancel() {
        timer.cancel()
    }
}
#endif
