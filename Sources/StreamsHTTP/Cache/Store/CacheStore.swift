/// A bounded store of responses. It removes the least recently used entries, and is at worst empty: nothing that happens to
/// it is an error of an exchange.
///
/// All functions are called on any thread and never block it. Calls of one thread take effect in their order: a lookup
/// finds the entry of a writer that finished before.
protocol CacheStore: Sendable {
    /// 32 random bytes that key the digests of credentials. They last as long as the entries.
    var secret: [UInt8] { get }

    /// Looks up an entry, which counts as a use of it.
    ///
    /// - Parameters:
    ///   - key: The entry's key.
    ///   - completion: A function that is called once with the entry, or with `nil` if there is none or if it is
    ///     damaged: on any thread, possibly before this returns. It must not block.
    func find(_ key: CacheKey, _ completion: @escaping @Sendable (CacheEntry?) -> Void)

    /// Creates a writer of an entry, which replaces the entry with the key when it finishes.
    ///
    /// - Parameters:
    ///   - key: The entry's key.
    ///   - length: The expected length of the body in bytes, if it is known. Another one is no error.
    /// - Returns: The writer; `nil` if the body is too large for the store.
    func makeWriter(for key: CacheKey, length: Int64?) -> (any CacheWriter)?

    /// Replaces the record of an entry that was found, and keeps its body. Has no effect if the entry has been removed or
    /// replaced since.
    func update(_ entry: CacheEntry, with record: CacheRecord)

    /// Stores a record without a body, in place of the entry with the key.
    func put(_ record: CacheRecord, for key: CacheKey)

    /// Removes the entry with a key. Writers of the key that have not finished store nothing.
    func remove(_ key: CacheKey)

    /// Removes all entries. Writers that have not finished store nothing.
    ///
    /// - Parameter completion: A function that is called once with the first error, or with `nil`: on any thread,
    ///   possibly before this returns. It must not block.
    func removeAll(_ completion: @escaping @Sendable (FileError?) -> Void)

    /// Calls a function once, when all is done that was requested before: on any thread, possibly before this returns.
    func synchronize(_ completion: @escaping @Sendable () -> Void)

    /// The size of the store.
    var usage: CacheUsage { get }
}

/// A writer of an entry, which is stored as a whole when it finishes, or not at all.
///
/// A writer that cannot store its entry ignores what follows: if the body exceeds the store's share for one entry, if
/// the disk is full, fails, or is slower than the body arrives. Releasing a writer cancels it. No function blocks. They
/// may be called on any thread, one at a time.
protocol CacheWriter: AnyObject, Sendable {
    /// Appends bytes to the body.
    func append(_ data: Data)

    /// Stores the entry. Ignored after ``cancel()``, as is everything after this call.
    func finish(_ record: CacheRecord)

    /// Discards the entry.
    func cancel()
}

/// The size of a store.
struct CacheUsage: Equatable, Sendable {
    /// The bytes that the store occupies, in memory or on the disk, with those that are being written. After a folder is
    /// opened, they are counted in the background.
    var bytes: Int64 = 0
    /// The number of entries.
    var entries = 0
}
