/// The removals of a store in a folder that its queue has yet to perform. All of them are one piece of work in the queue, so
/// that a disk that hangs keeps no more than that waiting.
///
/// A removal can be performed earlier than work that was queued before it was requested. So the store discards the writers
/// of a key when its removal is requested.
struct AwaitedRemovals {
    /// The largest number of keys that are kept. With more, all entries are removed: a response that was invalid must not
    /// be used, and one that was valid can be requested again.
    static let maxCount = 10_000

    /// The entries of one piece of work.
    enum Entries: Equatable {
        case keys(Set<CacheKey>)
        case all
    }

    private var entries: Entries?

    /// Adds a key.
    ///
    /// - Returns: Whether work has to be queued: none is waiting.
    mutating func add(_ key: CacheKey) -> Bool {
        switch entries {
        case nil:
            entries = .keys([key])
            return true
        case .keys(var keys):
            // Otherwise each insertion would copy the set.
            entries = .all
            keys.insert(key)
            if keys.count <= Self.maxCount { entries = .keys(keys) }
        case .all: break
        }
        return false
    }

    /// Returns the entries to remove, which are no longer awaited.
    mutating func take() -> Entries? { entries.take() }
}
