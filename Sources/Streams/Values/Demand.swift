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
