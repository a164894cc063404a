/// An entry that was found in a store. Its record and its body can be read as long as this exists, also when the entry has
/// been replaced or removed.
struct CacheEntry: Sendable {
    let key: CacheKey
    let record: CacheRecord
    /// A random number that distinguishes the entry from others with its key. It stays when the record is updated.
    let id: UInt128
    private let body: any CacheBody

    init(key: CacheKey, id: UInt128, record: CacheRecord, body: any CacheBody) {
        (self.key, self.id, self.record, self.body) = (key, id, record, body)
    }

    /// The length of the body in bytes.
    var bodyLength: Int64 { body.length }

    /// Reads a piece of the body. Never blocks.
    ///
    /// A piece ends at the latest where a block of 64 KiB ends, so that it is often shorter than it could be. Pieces of
    /// one block are read from the disk once, if they are read one after the other.
    ///
    /// - Parameters:
    ///   - offset: The offset of the first byte.
    ///   - maxCount: The largest number of bytes.
    ///   - completion: A function that is called once with at least one byte, without any at the end of the body, or
    ///     with an error if the body is damaged: on any thread, possibly before this returns, so that a loop over the
    ///     body must not be a recursion. It must not block.
    func read(
        at offset: Int64, maxCount: Int, _ completion: @escaping @Sendable (Result<Data, CacheDamage>) -> Void
    ) {
        guard offset >= 0, offset < bodyLength, maxCount > 0 else { return completion(.success(Data())) }
        body.read(at: offset, maxCount: maxCount, completion)
    }
}

/// The error of a body that has been damaged, whose entry has been removed, or that cannot be read.
struct CacheDamage: Error, Equatable {}

/// The body of an entry.
protocol CacheBody: Sendable {
    /// The length in bytes.
    var length: Int64 { get }

    /// Reads a piece, as ``CacheEntry/read(at:maxCount:_:)`` does, with an offset that lies in the body, and for at least
    /// one byte.
    func read(
        at offset: Int64, maxCount: Int, _ completion: @escaping @Sendable (Result<Data, CacheDamage>) -> Void)
}
