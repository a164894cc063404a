extension Subscribers {
    /// How many values a subscriber asks for: a number from 0 upwards, or ``unlimited``.
    ///
    /// Arithmetic saturates: a sum too large for `Int` is ``unlimited``, a difference below zero is ``none``, and
    /// ``unlimited`` stays what it is whatever is added to or taken from it.
    @frozen
    public struct Demand: Equatable, Comparable, Hashable, Sendable, CustomStringConvertible {
        /// `Int.max + 1` stands for ``unlimited``; nothing larger occurs.
        @usableFromInline let rawValue: UInt

        @inlinable
        init(rawValue: UInt) {
            self.rawValue = Swift.min(rawValue, UInt(Int.max) + 1)
        }

        /// As many values as there are.
        @inlinable
        public static var unlimited: Demand {
            Demand(rawValue: .max)
        }

        /// No values. The same as `.max(0)`.
        @inlinable
        public static var none: Demand {
            Demand(rawValue: 0)
        }

        /// At most a number of values.
        ///
        /// - Parameter value: A negative number is a programmer's error.
        @inlinable
        public static func max(_ value: Int) -> Demand {
            precondition(value >= 0, "a demand cannot be negative")
            return Demand(rawValue: UInt(value))
        }

        /// The number of values, nil if it is ``unlimited``.
        @inlinable
        public var max: Int? {
            Int(exactly: rawValue)
        }

        public var description: String {
            self == .unlimited ? "unlimited" : "max(\(rawValue))"
        }

        @inlinable
        public static func < (lhs: Demand, rhs: Demand) -> Bool {
            lhs.rawValue < rhs.rawValue
        }
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
    /// The sum; what is too large for a number is unlimited.
    @inlinable
    public static func + (lhs: Self, rhs: Self) -> Self {
        // Each is at most 2^63, so the sum of two that are not unlimited fits, and the initializer clamps it.
        lhs == .unlimited || rhs == .unlimited ? .unlimited : Self(rawValue: lhs.rawValue + rhs.rawValue)
    }

    /// Adds; what is too large for a number is unlimited.
    @inlinable
    public static func += (lhs: inout Self, rhs: Self) {
        lhs = lhs + rhs
    }

    /// The right side may be negative as long as the sum is not.
    @inlinable
    public static func + (lhs: Self, rhs: Int) -> Self {
        guard let count = lhs.max else { return .unlimited }
        let (sum, overflow) = count.addingReportingOverflow(rhs)
        return overflow ? .unlimited : .max(sum)
    }

    /// Adds; the right side may be negative as long as the sum is not.
    @inlinable
    public static func += (lhs: inout Self, rhs: Int) {
        lhs = lhs + rhs
    }

    /// The right side may be negative only if the left one is zero or unlimited.
    @inlinable
    public static func * (lhs: Self, rhs: Int) -> Self {
        guard let count = lhs.max else { return .unlimited }
        let (product, overflow) = count.multipliedReportingOverflow(by: rhs)
        return overflow ? .unlimited : .max(product)
    }

    /// Multiplies; what is too large for a number is unlimited.
    @inlinable
    public static func *= (lhs: inout Self, rhs: Int) {
        lhs = lhs * rhs
    }

    /// The difference, none where it would be negative. Whatever is taken from unlimited leaves unlimited; unlimited
    /// taken from a number leaves none.
    @inlinable
    public static func - (lhs: Self, rhs: Self) -> Self {
        if lhs == .unlimited { return .unlimited }
        return lhs.rawValue > rhs.rawValue ? Self(rawValue: lhs.rawValue - rhs.rawValue) : .none
    }

    /// Subtracts; what would be negative is none, and unlimited stays unlimited.
    @inlinable
    public static func -= (lhs: inout Self, rhs: Self) {
        lhs = lhs - rhs
    }

    /// The difference, none where it would be negative. Whatever is taken from unlimited leaves unlimited.
    @inlinable
    public static func - (lhs: Self, rhs: Int) -> Self {
        guard let count = lhs.max else { return .unlimited }
        let (difference, overflow) = count.subtractingReportingOverflow(rhs)
        // Only taking a huge negative number away overflows. Combine takes the sum for a negative one.
        return overflow || difference < 0 ? .none : .max(difference)
    }

    /// Subtracts; what would be negative is none, and unlimited stays unlimited.
    @inlinable
    public static func -= (lhs: inout Self, rhs: Int) {
        lhs = lhs - rhs
    }
}

/// Comparisons with plain numbers: ``Subscribers/Demand/unlimited`` is larger than every one of them.
extension Subscribers.Demand {
    /// Whether it is that number, which unlimited never is.
    @inlinable
    public static func == (lhs: Self, rhs: Int) -> Bool { lhs.max == rhs }

    /// Whether it is that number, which unlimited never is.
    @inlinable
    public static func == (lhs: Int, rhs: Self) -> Bool { lhs == rhs.max }

    /// Whether it is another number, or unlimited.
    @inlinable
    public static func != (lhs: Self, rhs: Int) -> Bool { lhs.max != rhs }

    /// Whether it is another number, or unlimited.
    @inlinable
    public static func != (lhs: Int, rhs: Self) -> Bool { lhs != rhs.max }

    /// Whether it is more than that number, as unlimited is.
    @inlinable
    public static func > (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 > rhs } ?? true }

    /// Whether it is at least that number, as unlimited is.
    @inlinable
    public static func >= (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 >= rhs } ?? true }

    /// Whether it is less than that number, which unlimited never is.
    @inlinable
    public static func < (lhs: Self, rhs: Int) -> Bool { !(lhs >= rhs) }

    /// Whether it is at most that number, which unlimited never is.
    @inlinable
    public static func <= (lhs: Self, rhs: Int) -> Bool { !(lhs > rhs) }

    /// Whether it is less than that number, which unlimited never is.
    @inlinable
    public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }

    /// Whether it is at most that number, which unlimited never is.
    @inlinable
    public static func >= (lhs: Int, rhs: Self) -> Bool { rhs <= lhs }

    /// Whether it is more than that number, as unlimited is.
    @inlinable
    public static func < (lhs: Int, rhs: Self) -> Bool { rhs > lhs }

    /// Whether it is at least that number, as unlimited is.
    @inlinable
    public static func <= (lhs: Int, rhs: Self) -> Bool { rhs >= lhs }
}
