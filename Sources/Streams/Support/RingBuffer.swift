/// A queue. Appending and removing the first element take constant time, and the storage shrinks after a burst.
@usableFromInline
struct RingBuffer<Element> {
    /// The size is zero or a power of two, so that masking wraps an index around.
    @usableFromInline var storage: ContiguousArray<Element?> = []
    @usableFromInline var head = 0

    @usableFromInline var count = 0

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { count == 0 }

    /// The oldest element.
    @inlinable var first: Element? { isEmpty ? nil : storage[head] }

    /// All elements, the oldest first.
    @usableFromInline var elements: [Element] {
        (0..<count).compactMap { storage[(head + $0) & (storage.count - 1)] }
    }

    /// The element at an index, the oldest first.
    @inlinable
    subscript(place: Int) -> Element {
        precondition(place >= 0 && place < count, "the index is out of range")
        guard let element = storage[(head + place) & (storage.count - 1)] else {
            preconditionFailure("an element is missing")
        }
        return element
    }

    @inlinable
    mutating func append(_ element: Element) {
        if count == storage.count { grow() }
        storage[(head + count) & (storage.count - 1)] = element
        count += 1
    }

    /// Removes and returns the oldest element.
    @inlinable
    @discardableResult
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = storage[head].take()
        head = (head + 1) & (storage.count - 1)
        count -= 1
        if count == 0, storage.count > Self.keptCapacity { self = RingBuffer() }
        return element
    }

    /// The largest storage that is kept when the queue becomes empty.
    @inlinable static var keptCapacity: Int { 1024 }

    @inlinable
    mutating func grow() {
        var larger = ContiguousArray<Element?>(repeating: nil, count: Swift.max(8, storage.count * 2))
        for offset in 0..<count { larger[offset] = storage[(head + offset) & (storage.count - 1)].take() }
        storage = larger
        head = 0
    }
}
