/// A dictionary that knows which of its keys was used least recently, so that this one can make room for another.
///
/// Each operation takes constant time, and replacing a key by another one allocates nothing. Looking for a key runs
/// code of the program: hold no lock.
@usableFromInline
package struct LRUDictionary<Key: Hashable, Value> {
    @usableFromInline typealias Entry = (key: Key, value: Value)

    @usableFromInline var entries: ContiguousArray<Entry> = []
    /// The indices of the keys' entries.
    @usableFromInline var places: [Key: Int] = [:]
    @usableFromInline var order = UseOrder()

    @inlinable
    package init() {}

    @inlinable package var count: Int { entries.count }

    /// All values, in no order.
    @inlinable var values: [Value] { entries.map(\.value) }

    /// Returns the value of a key, and makes the key the one that was used most recently.
    @inlinable
    package mutating func use(_ key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        order.use(place)
        return entries[place].value
    }

    /// Adds a key that is not in the dictionary, as the one that was used most recently.
    @inlinable
    package mutating func insert(_ value: Value, for key: Key) {
        places[key] = entries.count
        entries.append((key, value))
        order.append()
    }

    /// Removes a key.
    ///
    /// - Returns: Its value, nil if the key is not in the dictionary.
    @inlinable
    @discardableResult
    package mutating func removeValue(forKey key: Key) -> Value? {
        places[key].map { remove(at: $0) }
    }

    /// Removes the key that was used least recently.
    ///
    /// - Returns: Its value, nil if the dictionary is empty.
    @inlinable
    @discardableResult
    package mutating func removeLeastRecentlyUsed() -> Value? {
        order.oldest < 0 ? nil : remove(at: order.oldest)
    }

    /// Removes an entry. The last one takes its place.
    @inlinable
    mutating func remove(at place: Int) -> Value {
        order.remove(place)
        let removed = entries[place]
        places[removed.key] = nil
        let last = entries.removeLast()
        if place < entries.count {
            entries[place] = last
            places[last.key] = place
        }
        // A key that does not equal itself, as NaN does not, is not found and would stay for ever.
        if places.count > 2 * entries.count + 8 { findPlaces() }
        return removed.value
    }

    @usableFromInline
    mutating func findPlaces() {
        places = Dictionary(entries.indices.map { (entries[$0].key, $0) }) { $1 }
    }
}

/// The order in which the indices of an array were used: a list that is linked through an array of its own.
@usableFromInline
struct UseOrder {
    /// The neighbours of an index, negative at the ends.
    @usableFromInline
    struct Links {
        @usableFromInline var older = -1
        @usableFromInline var newer = -1
    }

    @usableFromInline var links: ContiguousArray<Links> = []

    /// The index that was used least recently, negative if there is none.
    @usableFromInline private(set) var oldest = -1
    @usableFromInline private(set) var newest = -1

    @usableFromInline
    init() {}

    /// Adds the next index as the newest one.
    @usableFromInline
    mutating func append() {
        links.append(Links())
        linkAsNewest(links.count - 1)
    }

    /// Makes an index the newest one.
    @usableFromInline
    mutating func use(_ index: Int) {
        guard index != newest else { return }
        link(links[index].older, links[index].newer)
        linkAsNewest(index)
    }

    /// Removes an index. The last one takes its place.
    @usableFromInline
    mutating func remove(_ index: Int) {
        link(links[index].older, links[index].newer)
        let last = links.removeLast()
        guard index < links.count else { return }
        link(last.older, index)
        link(index, last.newer)
    }

    private mutating func linkAsNewest(_ index: Int) {
        link(newest, index)
        link(index, -1)
    }

    /// Makes two indices neighbours. A negative one is an end of the list.
    private mutating func link(_ older: Int, _ newer: Int) {
        if older >= 0 { links[older].newer = newer } else { oldest = newer }
        if newer >= 0 { links[newer].older = older } else { newest = older }
    }
}
