/// The identifiers of the latest elements. After a reconnection, they tell the elements that are sent again.
struct RecentIdentifiers {
    /// The size in bytes up to which an identifier is remembered. A server chooses them, and could fill the memory.
    static let maxSize = 1024

    private let capacity: Int
    /// A ring, whose oldest identifier is at `next` once it is full.
    private var identifiers: [String] = []
    private var next = 0
    private var expectsDuplicates = false

    init(capacity: Int) {
        self.capacity = max(capacity, 0)
    }

    /// Looks for duplicates from now on, up to the first new element. Later, an identifier may be used again.
    mutating func expectDuplicates() {
        expectsDuplicates = true
    }

    /// Inserts the identifier of an element, if it has one. Returns whether the element is new.
    mutating func insert(_ identifier: String?) -> Bool {
        guard let identifier, capacity > 0, identifier.utf8.count <= Self.maxSize else { return true }
        if expectsDuplicates {
            guard !identifiers.contains(identifier) else { return false }
            expectsDuplicates = false
        }
        if identifiers.count < capacity {
            identifiers.append(identifier)
        } else {
            identifiers[next] = identifier
            next = (next + 1) % capacity
        }
        return true
    }
}
