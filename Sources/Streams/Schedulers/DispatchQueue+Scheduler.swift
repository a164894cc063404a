import Dispatch

#if canImport(Darwin)
import Combine

// Combine's own conformance of DispatchQueue declares the types and methods. A second declaration would make every use
// of them ambiguous.
extension DispatchQueue.SchedulerTimeType.Stride: Streams.SchedulerTimeIntervalConvertible {}

extension DispatchQueue: Streams.Scheduler {
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
    ) -> any Streams.Cancellable {
        let work: any Combine.Cancellable = schedule(
            after: date, interval: interval, tolerance: tolerance, options: options, action)
        return Streams.AnyCancellable(CombineCancellable(work: work))
    }
}

private struct CombineCancellable: Streams.Cancellable {
    let work: any Combine.Cancellable

    func cancel() { work.cancel() }
}
#else
extension DispatchQueue: Scheduler {
    /// Options for one piece of work.
    // Safe because the flags, the only property whose type is not marked so, are a plain number.
    public struct SchedulerOptions: @unchecked Sendable {
        /// The quality of service of the work.
        public var qos: DispatchQoS

        /// The flags of the work.
        public var flags: DispatchWorkItemFlags

        /// The group that the work joins, unless it is delayed or repeated.
        public var group: DispatchGroup?

        /// Creates options that by default change nothing.
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
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        let options = options ?? SchedulerOptions()
        asyncAfter(deadline: date.dispatchTime, qos: options.qos, flags: options.flags, execute: action)
    }

    /// Runs work at a time, and again after every interval, until the result is cancelled or released.
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
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

    func cancel() { timer.cancel() }
}
extension DispatchQueue {
    /// A point in time on the clock of dispatch queues, which stands still while the machine sleeps.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
        /// The same point in time as a type of Dispatch.
        public var dispatchTime: DispatchTime

        /// Creates a point in time.
        public init(_ time: DispatchTime) {
            dispatchTime = time
        }

        /// Returns the time until another point in time, negative if that is earlier.
        ///
        /// A duration that does not fit is the largest duration in both directions, as in Combine.
        public func distance(to other: SchedulerTimeType) -> Stride {
            let (from, to) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
            guard let length = Int(exactly: to >= from ? to - from : from - to) else { return .nanoseconds(.max) }
            return .nanoseconds(to >= from ? length : -length)
        }

        /// Returns a later point in time. The largest duration leads to the distant future.
        public func advanced(by n: Stride) -> SchedulerTimeType {
            n.magnitude == .max ? SchedulerTimeType(.distantFuture) : SchedulerTimeType(dispatchTime + n.timeInterval)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.uptimeNanoseconds) }

        public init(from decoder: any Decoder) throws {
            let nanoseconds = try decoder.singleValueContainer().decode(UInt64.self)
            self.init(DispatchTime(uptimeNanoseconds: nanoseconds))
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(dispatchTime.uptimeNanoseconds)
        }
    }
}

extension DispatchQueue.SchedulerTimeType {
    /// A duration in whole nanoseconds. Values and results out of range are clamped, and a NaN is zero.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Hashable,
        Codable, Sendable
    {
        /// The number of nanoseconds, which may be negative, as in Combine.
        public var magnitude: Int

        /// The same duration as a type of Dispatch.
        public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

        /// The keys of Combine, so that either library can decode what the other has encoded.
        private enum CodingKeys: String, CodingKey {
            case magnitude = "_nanoseconds"
        }

        private init(nanoseconds: Int) {
            magnitude = nanoseconds
        }

        /// Creates a duration. `.never` becomes the largest duration.
        public init(_ timeInterval: DispatchTimeInterval) {
            switch timeInterval {
            case .seconds(let s): self = .seconds(s)
            case .milliseconds(let ms): self = .milliseconds(ms)
            case .microseconds(let us): self = .microseconds(us)
            case .nanoseconds(let ns): self = .nanoseconds(ns)
            // The only other case is never.
            default: self.init(nanoseconds: .max)
            }
        }

        /// Creates a duration from a number of seconds.
        public init(floatLiteral value: Double) {
            self = .seconds(value)
        }

        /// Creates a duration from a number of seconds.
        public init(integerLiteral value: Int) {
            self = .seconds(value)
        }

        /// Creates a duration from a number of seconds.
        public init?<T: BinaryInteger>(exactly source: T) {
            guard let seconds = Int(exactly: source) else { return nil }
            self = .seconds(seconds)
        }

        public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

        public static func + (lhs: Stride, rhs: Stride) -> Stride {
            let (sum, overflow) = lhs.magnitude.addingReportingOverflow(rhs.magnitude)
            return Stride(nanoseconds: overflow ? (lhs.magnitude < 0 ? .min : .max) : sum)
        }

        public static func - (lhs: Stride, rhs: Stride) -> Stride {
            let (difference, overflow) = lhs.magnitude.subtractingReportingOverflow(rhs.magnitude)
            return Stride(nanoseconds: overflow ? (lhs.magnitude < 0 ? .min : .max) : difference)
        }

        /// Returns zero, as in Combine: durations have no product.
        public static func * (lhs: Stride, rhs: Stride) -> Stride { Stride(nanoseconds: 0) }

        public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }

        public static func seconds(_ s: Double) -> Stride {
            // Compared with a power of two, which a Double represents exactly, unlike Int.max.
            let nanoseconds = s * 1e9
            if nanoseconds >= Double(sign: .plus, exponent: Int.bitWidth - 1, significand: 1) {
                return Stride(nanoseconds: .max)
            }
            if nanoseconds < Double(Int.min) { return Stride(nanoseconds: .min) }
            return Stride(nanoseconds: nanoseconds.isNaN ? 0 : Int(nanoseconds))
        }

        public static func seconds(_ s: Int) -> Stride { clamped(s, times: 1_000_000_000) }
        public static func milliseconds(_ ms: Int) -> Stride { clamped(ms, times: 1_000_000) }
        public static func microseconds(_ us: Int) -> Stride { clamped(us, times: 1000) }
        public static func nanoseconds(_ ns: Int) -> Stride { Stride(nanoseconds: ns) }

        private static func clamped(_ value: Int, times factor: Int) -> Stride {
            let (product, overflow) = value.multipliedReportingOverflow(by: factor)
            return Stride(nanoseconds: overflow ? (value < 0 ? .min : .max) : product)
        }
    }
}
#endif
