/// The entries of a folder that are to be removed when its queue comes to that. A disk that hangs keeps one piece of work
/// waiting, however many removals are requested meanwhile.
///
/// The work may come earlier than a removal was requested in the queue: writers of the key that have not finished by then
/// are discarded when it is requested.
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
