import Synchronization

/// Tells one subscriber or subscription from another.
public struct CombineIdentifier: Hashable, CustomStringConvertible, Sendable {
    @usableFromInline let rawValue: UInt64

    @usableFromInline static let issued = Atomic<UInt64>(0)

    /// A new identifier, different from every other one made this way in this process.
    @inlinable
    public init() {
        rawValue = Self.issued.add(1, ordering: .relaxed).newValue
    }

    /// The identifier of an object: its address, so it is unique only as long as the object lives.
    @inlinable
    public init(_ object: AnyObject) {
        rawValue = UInt64(UInt(bitPattern: ObjectIdentifier(object)))
    }

    /// What a subscriber goes by that passes everything on to the one this identifies. Neither addresses nor counted
    /// identifiers reach the bits that tell the steps apart.
    @inlinable var oneStepUp: CombineIdentifier {
        CombineIdentifier(rawValue: rawValue &+ 1 << 48)
    }

    @inlinable
    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public var description: String {
        "0x" + String(rawValue, radix: 16)
    }
}

/// A value or object that can be told from others by an identifier. Objects get theirs from their identity.
public protocol CustomCombineIdentifierConvertible {
    /// The same whenever it is asked for. Nothing else has it at the same time.
    var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
    @inlinable
    public var combineIdentifier: CombineIdentifier {
        CombineIdentifier(self)
    }
}
