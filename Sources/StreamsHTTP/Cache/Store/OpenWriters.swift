/// The writers of a store that have not finished, by the random numbers of their entries. Removing an entry discards
/// those of its key: what they write was requested before.
struct OpenWriters {
    private var keys: [UInt128: CacheKey] = [:]

    /// Adds a writer.
    mutating func open(_ id: UInt128, _ key: CacheKey) { keys[id] = key }

    /// Removes a writer, and returns whether it was not discarded.
    mutating func close(_ id: UInt128) -> Bool { keys.removeValue(forKey: id) != nil }

    /// Discards the writers of a key.
    mutating func discard(_ key: CacheKey) {
        if keys.contains(where: { $0.value == key }) { keys = keys.filter { $0.value != key } }
    }

    /// Discards all writers.
    mutating func discardAll() { keys.removeAll() }
}
