/// The identifier of an element, and a hash of the content that tells it from another element with the same identifier.
///
/// Only a hash is kept, so that thousands of feeds with large elements take little memory. If two contents with the same
/// identifier have the same hash, the second one is lost. The hash has 64 bits and a random seed, so that no server can
/// choose such contents.
struct ElementIdentity {
    enum Content {
        case event(type: String, data: String)
        case record(Data)
    }

    let id: String
    private let hash: Int

    init(id: String, content: Content) {
        self.id = id
        hash = content.hash
    }

    /// Returns whether two identities are equal byte for byte. Strings are also equal if their characters are.
    static func == (left: Self, right: Self) -> Bool {
        left.hash == right.hash && left.id.utf8.elementsEqual(right.id.utf8)
    }
}

/// The latest elements of a feed. After a reconnection, they tell the elements that are sent again: those with the same
/// identifier and the same content. A server that restarts its numbering sends other content by known identifiers.
struct RecentElements {
    /// The size in bytes up to which an identifier is remembered. A server chooses it, and could fill the memory.
    static let maxIdentifierSize = 1024

    private let capacity: Int
    /// A ring, whose oldest element is at `next` once it is full.
    private var entries: [ElementIdentity] = []
    private var next = 0
    private var expectsDuplicates = false

    init(capacity: Int) {
        self.capacity = max(capacity, 0)
    }

    /// Looks for duplicates from now on, up to the first new element. Later, an element may be a repetition that the
    /// server means.
    mutating func expectDuplicates() {
        expectsDuplicates = true
    }

    /// Inserts an element, if it has an identifier. Returns whether the element is new.
    mutating func insert(_ identity: ElementIdentity?) -> Bool {
        guard let identity, capacity > 0, identity.id.utf8.count <= Self.maxIdentifierSize else { return true }
        if expectsDuplicates {
            guard !entries.contains(where: { $0 == identity }) else { return false }
            expectsDuplicates = false
        }
        if entries.count < capacity {
            entries.append(identity)
        } else {
            entries[next] = identity
            next = (next + 1) % capacity
        }
        return true
    }
}

extension ElementIdentity.Content {
    fileprivate var hash: Int {
        var hasher = Hasher()
        switch self {
        case .event(let type, let data):
            type.utf8.withContiguousBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            // Ends the type: no text has this byte.
            hasher.combine(UInt8.max)
            data.utf8.withContiguousBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .record(let data):
            data.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }
}
