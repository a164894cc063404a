#if !canImport(Darwin)
import Foundation
import Streams

extension OperationQueue {
    /// A point in time on the wall clock.
    // It is the same as that of `RunLoop` but for its name. One generic type for both would not do: programs written
    // for Combine make both conform to a protocol of theirs, which one type can do only once.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
        /// The same as Foundation has it.
        public var date: Date

        /// A point in time as Foundation has it.
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

extension OperationQueue.SchedulerTimeType {
    /// A duration, in seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Codable,
        Sendable
    {
        /// The number of seconds, which may be negative: Combine has it so.
        public var magnitude: TimeInterval

        /// The same as Foundation has it.
        public var timeInterval: TimeInterval { magnitude }

        /// - Parameter timeInterval: Seconds.
        public init(_ timeInterval: TimeInterval) {
            magnitude = timeInterval
        }

        /// - Parameter value: Seconds.
        public init(floatLiteral value: TimeInterval) {
            self.init(value)
        }

        /// - Parameter value: Seconds.
        public init(integerLiteral value: TimeInterval) {
            self.init(value)
        }

        /// - Parameter source: Seconds.
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
