#if !canImport(Darwin)
import Foundation
import Streams

extension RunLoop {
    /// A point in time on the wall clock.
    // Equal to the type of `OperationQueue` but for its name. Programs written for Combine conform both to protocols of
    // their own, and a shared generic type could conform only once.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
        /// The point in time as a date.
        public var date: Date

        /// Creates a point in time from a date.
        public init(_ date: Date) {
            self.date = date
        }

        public func distance(to other: SchedulerTimeType) -> Stride {
            Stride(other.date.timeIntervalSinceReferenceDate - date.timeIntervalSinceReferenceDate)
        }

        public func advanced(by n: Stride) -> SchedulerTimeType {
            SchedulerTimeType(date + n.timeInterval)
        }
    }
}

extension RunLoop.SchedulerTimeType {
    /// A duration, in seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Codable,
        Sendable
    {
        /// The number of seconds. It may be negative, as in Combine.
        public var magnitude: TimeInterval

        /// The duration as a time interval.
        public var timeInterval: TimeInterval { magnitude }

        /// Creates a duration from a number of seconds.
        ///
        /// - Parameter timeInterval: The number of seconds.
        public init(_ timeInterval: TimeInterval) {
            magnitude = timeInterval
        }

        /// Creates a duration from a number of seconds.
        ///
        /// - Parameter value: The number of seconds.
        public init(floatLiteral value: TimeInterval) {
            self.init(value)
        }

        /// Creates a duration from a number of seconds.
        ///
        /// - Parameter value: The number of seconds.
        public init(integerLiteral value: TimeInterval) {
            self.init(value)
        }

        /// Creates a duration from a number of seconds, nil if `TimeInterval` cannot represent it.
        ///
        /// - Parameter source: The number of seconds.
        public init?<T: BinaryInteger>(exactly source: T) {
            guard let seconds = TimeInterval(exactly: source) else { return nil }
            self.init(seconds)
        }

        public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }
        public static func + (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude + rhs.magnitude) }
        public static func - (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude - rhs.magnitude) }
        public static func * (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude * rhs.magnitude) }
        public static func += (lhs: inout Stride, rhs: Stride) { lhs = lhs + rhs }
        public static func -= (lhs: inout Stride, rhs: Stride) { lhs = lhs - rhs }
        public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }

        public static func seconds(_ s: Int) -> Stride { Stride(TimeInterval(s)) }
        public static func seconds(_ s: Double) -> Stride { Stride(s) }
        public static func milliseconds(_ ms: Int) -> Stride { Stride(TimeInterval(ms) / 1e3) }
        public static func microseconds(_ us: Int) -> Stride { Stride(TimeInterval(us) / 1e6) }
        public static func nanoseconds(_ ns: Int) -> Stride { Stride(TimeInterval(ns) / 1e9) }
    }
}
#endif
