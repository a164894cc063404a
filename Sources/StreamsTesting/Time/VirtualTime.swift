import Streams

extension TestScheduler {
    /// A point in time on a test scheduler's clock, in whole nanoseconds since the clock's start.
    public struct SchedulerTimeType: Strideable, Hashable, Sendable, CustomStringConvertible {
        /// The time since the clock's start.
        public var sinceStart: Stride

        /// Creates a point in time.
        ///
        /// - Parameter sinceStart: The time since the clock's start.
        public init(sinceStart: Stride) {
            self.sinceStart = sinceStart
        }

        /// The time that a clock shows first, by default.
        public static let start = SchedulerTimeType(sinceStart: 0)

        /// The latest possible time.
        static let end = SchedulerTimeType(sinceStart: .nanoseconds(.max))

        public func distance(to other: SchedulerTimeType) -> Stride {
            other.sinceStart - sinceStart
        }

        public func advanced(by n: Stride) -> SchedulerTimeType {
            SchedulerTimeType(sinceStart: sinceStart + n)
        }

        public var description: String { sinceStart.description }
    }
}

extension TestScheduler.SchedulerTimeType {
    /// A duration in whole nanoseconds. A number without a unit means seconds, and arithmetic saturates.
    public struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Sendable,
        ExpressibleByFloatLiteral, CustomStringConvertible
    {
        /// The duration as a number of nanoseconds.
        public var nanoseconds: Int

        private init(nanoseconds: Int) {
            self.nanoseconds = nanoseconds
        }

        /// Creates a duration from a number of seconds.
        ///
        /// - Parameter value: The number of seconds.
        public init(integerLiteral value: Int) {
            self = .seconds(value)
        }

        /// Creates a duration from a number of seconds.
        ///
        /// - Parameter value: The number of seconds.
        public init(floatLiteral value: Double) {
            self = .seconds(value)
        }

        /// Creates a duration from a number of seconds, nil if it is no `Int`.
        ///
        /// - Parameter source: The number of seconds.
        public init?<T: BinaryInteger>(exactly source: T) {
            guard let seconds = Int(exactly: source) else { return nil }
            self = .seconds(seconds)
        }

        public var magnitude: Stride { nanoseconds < 0 ? -self : self }

        public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

        public static func + (lhs: Stride, rhs: Stride) -> Stride {
            let (sum, overflow) = lhs.nanoseconds.addingReportingOverflow(rhs.nanoseconds)
            return overflow ? limit(isNegative: lhs.nanoseconds < 0) : Stride(nanoseconds: sum)
        }

        public static func - (lhs: Stride, rhs: Stride) -> Stride {
            let (difference, overflow) = lhs.nanoseconds.subtractingReportingOverflow(rhs.nanoseconds)
            return overflow ? limit(isNegative: lhs.nanoseconds < 0) : Stride(nanoseconds: difference)
        }

        /// Multiplies two numbers of seconds: `3 * stride` is three times the stride.
        public static func * (lhs: Stride, rhs: Stride) -> Stride {
            seconds(Double(lhs.nanoseconds) / 1e9 * (Double(rhs.nanoseconds) / 1e9))
        }

        public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }

        public static func seconds(_ s: Double) -> Stride {
            let nanoseconds = (s * 1e9).rounded()
            return Int(exactly: nanoseconds).map(Stride.init(nanoseconds:)) ?? limit(isNegative: s < 0)
        }

        public static func seconds(_ s: Int) -> Stride { saturating(s, times: 1_000_000_000) }
        public static func milliseconds(_ ms: Int) -> Stride { saturating(ms, times: 1_000_000) }
        public static func microseconds(_ us: Int) -> Stride { saturating(us, times: 1000) }
        public static func nanoseconds(_ ns: Int) -> Stride { Stride(nanoseconds: ns) }

        public var description: String { "\(Double(nanoseconds) / 1e9) s" }

        private static func saturating(_ value: Int, times factor: Int) -> Stride {
            let (product, overflow) = value.multipliedReportingOverflow(by: factor)
            return overflow ? limit(isNegative: value < 0) : Stride(nanoseconds: product)
        }

        private static func limit(isNegative: Bool) -> Stride {
            Stride(nanoseconds: isNegative ? .min : .max)
        }
    }
}
