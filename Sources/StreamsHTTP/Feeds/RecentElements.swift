/// The identifier of an element, and the content that tells it from another element with the same identifier.
struct ElementIdentity {
    enum Content {
        case event(type: String, data: String)
        case record(Data)
        /// The hash of content that is too large to be kept.
        case digest(Int)
    }

    let id: String
    let content: Content
}

/// The latest elements of a feed. After a reconnection, they tell the elements that are sent again: those with the same
/// identifier and the same content. A server that restarts its numbering sends other content by known identifiers.
struct RecentElements {
    /// The size in bytes up to which an identifier is remembered, and content is kept as it is. A server chooses them,
    /// and could fill the memory.
    static let maxSize = 1024

    private let capacity: Int
    /// A ring, whose oldest element is at `next` once it is full.
    private var elements: [ElementIdentity] = []
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
        guard let identity, capacity > 0, identity.id.utf8.count <= Self.maxSize else { return true }
        let element = ElementIdentity(id: identity.id, content: identity.content.shortened(to: Self.maxSize))
        if expectsDuplicates {
            guard !elements.contains(where: { $0 == element }) else { return false }
            expectsDuplicates = false
        }
        if elements.count < capacity {
            elements.append(element)
        } else {
            elements[next] = element
            next = (next + 1) % capacity
        }
        return true
    }
}

extension ElementIdentity.Content {
    private var size: Int {
        switch self {
        case .event(let type, let data): type.utf8.count + data.utf8.count
        case .record(let data): data.count
        case .digest: 0
        }
    }

    /// Returns this content, or its hash if it is larger than a size.
    ///
    /// If two contents with the same identifier have the same hash, the second one is lost. The hash has 64 bits and a
    /// random seed, so that no server can choose such contents.
    fileprivate func shortened(to maxSize: Int) -> Self {
        guard size > maxSize else { return self }
        var hasher = Hasher()
        switch self {
        case .event(let type, let data):
            type.utf8.withContiguousBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            // Ends the type: no text has this byte.
            hasher.combine(UInt8.max)
            data.utf8.withContiguousBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .record(let data):
            data.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .digest:
            break
        }
        return .digest(hasher.finalize())
    }
}

extension ElementIdentity {
    /// Returns whether two elements are equal byte for byte. Strings are also equal if their characters are.
    fileprivate static func == (left: Self, right: Self) -> Bool {
        guard left.id.utf8.elementsEqual(right.id.utf8) else { return false }
        return switch (left.content, right.content) {
        case (.event(let leftType, let left), .event(let rightType, let right)):
            leftType.utf8.elementsEqual(rightType.utf8) && left.utf8.elementsEqual(right.utf8)
        case (.record(let left), .record(let right)): left == right
        case (.digest(let left), .digest(let right)): left == right
        default: false
        }
    }
}
