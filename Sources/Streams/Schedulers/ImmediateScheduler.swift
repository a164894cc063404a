/// A scheduler that runs work at once, on the calling thread. Its clock stands still, and delays are ignored.
public struct ImmediateScheduler: Scheduler, Sendable {
    /// The only point in time of this scheduler's clock.
    public struct SchedulerTimeType: Strideable, Sendable {
        /// A duration, which this scheduler ignores. Values out of range are clamped, and a NaN is zero.
        public struct Stride: ExpressibleByFloatLiteral, Comparable, SignedNumeric, Codable, Sendable,
            SchedulerTimeIntervalConvertible
        {
            public var magnitude: Int

            /// Creates a duration.
            @inlinable
            public init(_ value: Int) {
                magnitude = value
            }

            @inlinable
            public init(integerLiteral value: Int) {
                self.init(value)
            }

            @inlinable
            public init(floatLiteral value: Double) {
                // Compared with a power of two, which a Double represents exactly, unlike Int.max.
                if value >= Double(sign: .plus, exponent: Int.bitWidth - 1, significand: 1) {
                    self.init(.max)
                } else if value < Double(Int.min) {
                    self.init(.min)
                } else {
                    self.init(value.isNaN ? 0 : Int(value))
                }
            }

            @inlinable
            public init?<T: BinaryInteger>(exactly source: T) {
                guard let value = Int(exactly: source) else { return nil }
                self.init(value)
            }

            @inlinable
            public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

            @inlinable
            public static func + (lhs: Stride, rhs: Stride) -> Stride {
                let (sum, overflow) = lhs.magnitude.addingReportingOverflow(rhs.magnitude)
                return Stride(overflow ? (lhs.magnitude < 0 ? .min : .max) : sum)
            }

            @inlinable
            public static func - (lhs: Stride, rhs: Stride) -> Stride {
                let (difference, overflow) = lhs.magnitude.subtractingReportingOverflow(rhs.magnitude)
                return Stride(overflow ? (lhs.magnitude < 0 ? .min : .max) : difference)
            }

            @inlinable
            public static func * (lhs: Stride, rhs: Stride) -> Stride {
                let (product, overflow) = lhs.magnitude.multipliedReportingOverflow(by: rhs.magnitude)
                return Stride(overflow ? ((lhs.magnitude < 0) != (rhs.magnitude < 0) ? .min : .max) : product)
            }

            @inlinable
            public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }

            @inlinable
            public static func seconds(_ s: Int) -> Stride { 0 }

            @inlinable
            public static func seconds(_ s: Double) -> Stride { 0 }

            @inlinable
            public static func milliseconds(_ ms: Int) -> Stride { 0 }

            @inlinable
            public static func microseconds(_ us: Int) -> Stride { 0 }

            @inlinable
            public static func nanoseconds(_ ns: Int) -> Stride { 0 }
        }

        init() {}

        public func distance(to other: SchedulerTimeType) -> Stride { 0 }

        public func advanced(by n: Stride) -> SchedulerTimeType { SchedulerTimeType() }
    }

    /// This scheduler has no options.
    public typealias SchedulerOptions = Never

    /// The shared scheduler.
    public static let shared = ImmediateScheduler()

    public var now: SchedulerTimeType { SchedulerTimeType() }

    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    @preconcurrency
    @inlinable
    public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) { action() }

    @preconcurrency
    @inlinable
    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        action()
    }

    /// Runs work once. The interval is ignored.
    @preconcurrency
    @inlinable
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        action()
        return Subscriptions.empty
    }
}
