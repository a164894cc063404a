extension Subscribers {
    /// The number of values that a subscriber requests: a number from 0 upwards, or ``unlimited``.
    ///
    /// Arithmetic saturates: a sum too large for `Int` is ``unlimited``, a difference below zero is ``none``, and
    /// ``unlimited`` stays unlimited whatever is added or subtracted.
    @frozen
    public struct Demand: Equatable, Comparable, Hashable, Sendable, CustomStringConvertible {
        /// `Int.max + 1` stands for ``unlimited``; nothing larger occurs.
        @usableFromInline let rawValue: UInt

        @inlinable
        init(rawValue: UInt) {
            self.rawValue = Swift.min(rawValue, UInt(Int.max) + 1)
        }

        /// A demand for as many values as there are.
        @inlinable
        public static var unlimited: Demand {
            Demand(rawValue: .max)
        }

        /// A demand for no values, the same as `.max(0)`.
        @inlinable
        public static var none: Demand {
            Demand(rawValue: 0)
        }

        /// Returns a demand for at most a number of values.
        ///
        /// - Parameter value: The number, which must not be negative.
        @inlinable
        public static func max(_ value: Int) -> Demand {
            precondition(value >= 0, "a demand cannot be negative")
            return Demand(rawValue: UInt(value))
        }

        /// The number of values, or nil if the demand is ``unlimited``.
        @inlinable
        public var max: Int? {
            Int(exactly: rawValue)
        }

        public var description: String {
            self == .unlimited ? "unlimited" : "max(\(rawValue))"
        }

        @inlinable
        public static func < (lhs: Demand, rhs: Demand) -> Bool { lhs.rawValue < rhs.rawValue }
    }
}

extension Subscribers.Demand: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(UInt.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension Subscribers.Demand {
    /// Returns the sum of two demands, which is unlimited if it is too large for a number.
    @inlinable
    public static func + (lhs: Self, rhs: Self) -> Self {
        // Each is at most 2^63, so the sum of two that are not unlimited fits, and the initializer clamps it.
        lhs == .unlimited || rhs == .unlimited ? .unlimited : Self(rawValue: lhs.rawValue + rhs.rawValue)
    }

    /// Adds a demand. The sum is unlimited if it is too large for a number.
    @inlinable
    public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

    /// Returns the sum of a demand and a number, which may be negative as long as the sum is not.
    @inlinable
    public static func + (lhs: Self, rhs: Int) -> Self {
        guard let count = lhs.max else { return .unlimited }
        let (sum, overflow) = count.addingReportingOverflow(rhs)
        return overflow ? .unlimited : .max(sum)
    }

    /// Adds a number, which may be negative as long as the sum is not.
    @inlinable
    public static func += (lhs: inout Self, rhs: Int) { lhs = lhs + rhs }

    /// Returns the product. The number may be negative only if the demand is zero or unlimited.
    @inlinable
    public static func * (lhs: Self, rhs: Int) -> Self {
        guard let count = lhs.max else { return .unlimited }
        let (product, overflow) = count.multipliedReportingOverflow(by: rhs)
        return overflow ? .unlimited : .max(product)
    }

    /// Multiplies by a number. The product is unlimited if it is too large for a number.
    @inlinable
    public static func *= (lhs: inout Self, rhs: Int) { lhs = lhs * rhs }

    /// Returns the difference. It is unlimited if `lhs` is, otherwise none if it is negative or `rhs` is unlimited.
    @inlinable
    public static func - (lhs: Self, rhs: Self) -> Self {
        if lhs == .unlimited { return .unlimited }
        return lhs.rawValue > rhs.rawValue ? Self(rawValue: lhs.rawValue - rhs.rawValue) : .none
    }

    /// Subtracts. A negative difference is none, and unlimited stays unlimited.
    @inlinable
    public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

    /// Returns the difference, or none if it is negative. Unlimited minus anything is unlimited.
    @inlinable
    public static func - (lhs: Self, rhs: Int) -> Self {
        guard let count = lhs.max else { return .unlimited }
        let (difference, overflow) = count.subtractingReportingOverflow(rhs)
        // Only taking a huge negative number away overflows. Combine takes the sum for a negative one.
        return overflow || difference < 0 ? .none : .max(difference)
    }

    /// Subtracts. A negative difference is none, and unlimited stays unlimited.
    @inlinable
    public static func -= (lhs: inout Self, rhs: Int) { lhs = lhs - rhs }
}

/// Comparisons with numbers. ``Subscribers/Demand/unlimited`` is larger than every number.
extension Subscribers.Demand {
    /// Whether the demand equals a number. Unlimited equals no number.
    @inlinable
    public static func == (lhs: Self, rhs: Int) -> Bool { lhs.max == rhs }

    /// Whether the demand equals a number. Unlimited equals no number.
    @inlinable
    public static func == (lhs: Int, rhs: Self) -> Bool { lhs == rhs.max }

    /// Whether the demand differs from a number. Unlimited differs from every number.
    @inlinable
    public static func != (lhs: Self, rhs: Int) -> Bool { lhs.max != rhs }

    /// Whether the demand differs from a number. Unlimited differs from every number.
    @inlinable
    public static func != (lhs: Int, rhs: Self) -> Bool { lhs != rhs.max }

    /// Whether the demand is greater than a number.
    @inlinable
    public static func > (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 > rhs } ?? true }

    /// Whether the demand is at least a number.
    @inlinable
    public static func >= (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 >= rhs } ?? true }

    /// Whether the demand is less than a number.
    @inlinable
    public static func < (lhs: Self, rhs: Int) -> Bool { !(lhs >= rhs) }

    /// Whether the demand is at most a number.
    @inlinable
    public static func <= (lhs: Self, rhs: Int) -> Bool { !(lhs > rhs) }

    /// Whether the demand is less than a number.
    @inlinable
    public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }

    /// Whether the demand is at most a number.
    @inlinable
    public static func >= (lhs: Int, rhs: Self) -> Bool { rhs <= lhs }

    /// Whether the demand is greater than a number.
    @inlinable
    public static func < (lhs: Int, rhs: Self) -> Bool { rhs > lhs }

    /// Whether the demand is at least a number.
    @inlinable
    public static func <= (lhs: Int, rhs: Self) -> Bool { rhs >= lhs }
}
