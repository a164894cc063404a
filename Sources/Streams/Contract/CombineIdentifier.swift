import Synchronization

/// An identifier of a subscriber or subscription.
public struct CombineIdentifier: Hashable, CustomStringConvertible, Sendable {
    @usableFromInline let rawValue: UInt64

    @usableFromInline static let issued = Atomic<UInt64>(0)

    /// Creates an identifier that differs from every other one created this way in this process.
    @inlinable
    public init() {
        rawValue = Self.issued.add(1, ordering: .relaxed).newValue
    }

    /// Creates the identifier of an object. It is the object's address, so it is unique as long as the object lives.
    @inlinable
    public init(_ object: AnyObject) {
        rawValue = UInt64(UInt(bitPattern: ObjectIdentifier(object)))
    }

    public var description: String {
        "0x" + String(rawValue, radix: 16)
    }
}

/// A value or object with an identifier. The default identifier of an object is its identity.
public protocol CustomCombineIdentifierConvertible {
    /// The identifier. It is stable, and unique at any one time.
    var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
    @inlinable
    public var combineIdentifier: CombineIdentifier {
        CombineIdentifier(self)
    }
}
