/// A store in memory, which is as old as its process. Completions are called before the functions return.
final class MemoryStore: CacheStore {
    /// The memory in bytes that an entry takes besides its record and its body.
    static let overhead: Int64 = 512

    private struct Stored {
        let id: UInt128
        var record: CacheRecord
        let body: CacheBlocks
        var size: Int64
    }

    private struct State {
        var entries = LRUDictionary<CacheKey, Stored>()
        /// The bytes of the entries and of the writers that have not finished.
        var bytes: Int64 = 0
        var writers = OpenWriters()
    }

    let secret = [UInt8].random(count: 32)
    private let maxBytes: Int64
    private let maxEntries: Int
    private let state = Locked(State())

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - maxBytes: The largest size, with the entries that are being written. The body of one entry may have an eighth.
    ///   - maxEntries: The largest number of entries.
    init(maxBytes: Int64, maxEntries: Int) {
        (self.maxBytes, self.maxEntries) = (maxBytes, maxEntries)
    }

    func find(_ key: CacheKey, _ completion: @escaping @Sendable (CacheEntry?) -> Void) {
        let stored = state.withLock { $0.entries.use(key) }
        completion(stored.map { CacheEntry(key: key, id: $0.id, record: $0.record, body: $0.body) })
    }

    func makeWriter(for key: CacheKey, length: Int64?) -> (any CacheWriter)? {
        guard admits(length ?? 0) else { return nil }
        let id = UInt128.random(in: 0 ... .max)
        state.withLock { $0.writers.open(id, key) }
        return MemoryWriter(of: self, key: key, id: id)
    }

    func update(_ entry: CacheEntry, with record: CacheRecord) {
        let size = Self.size(of: record)
        state.withLock { state in
            guard var stored = state.entries.use(entry.key), stored.id == entry.id else { return }
            stored.record = record
            stored.size = size + stored.body.length
            insert(stored, for: entry.key, in: &state)
        }
    }

    func put(_ record: CacheRecord, for key: CacheKey) {
        let size = Self.size(of: record)
        state.withLock {
            insert(
                Stored(id: .random(in: 0 ... .max), record: record, body: CacheBlocks(), size: size), for: key, in: &$0)
        }
    }

    func remove(_ key: CacheKey) {
        state.withLock { state in
            state.writers.discard(key)
            if let stored = state.entries.removeValue(forKey: key) { state.bytes -= stored.size }
        }
    }

    func removeAll(_ completion: @escaping @Sendable (FileError?) -> Void) {
        state.withLock { state in
            state.writers.discardAll()
            while let stored = state.entries.removeLeastRecentlyUsed() { state.bytes -= stored.size }
        }
        completion(nil)
    }

    func synchronize(_ completion: @escaping @Sendable () -> Void) {
        completion()
    }

    var usage: CacheUsage { state.withLock { CacheUsage(bytes: $0.bytes, entries: $0.entries.count) } }
}

// MARK: Bounds

extension MemoryStore {
    private static func size(of record: CacheRecord) -> Int64 { Int64(record.encoded().count) + overhead }

    /// Returns whether a body of a length may be stored.
    fileprivate func admits(_ length: Int64) -> Bool { maxEntries > 0 && length <= maxBytes / 8 }

    private func insert(_ stored: Stored, for key: CacheKey, in state: inout State) {
        if let former = state.entries.removeValue(forKey: key) { state.bytes -= former.size }
        state.entries.insert(stored, for: key)
        state.bytes += stored.size
        makeRoom(in: &state)
    }

    /// Removes the least recently used entries while a limit is exceeded.
    private func makeRoom(in state: inout State) {
        while state.bytes > maxBytes || state.entries.count > maxEntries,
            let stored = state.entries.removeLeastRecentlyUsed()
        {
            state.bytes -= stored.size
        }
    }

    /// Counts bytes of a writer, if there is room for them without the other writers' bytes.
    fileprivate func reserve(_ count: Int64) -> Bool {
        state.withLock { state in
            state.bytes += count
            makeRoom(in: &state)
            guard state.bytes > maxBytes else { return true }
            state.bytes -= count
            return false
        }
    }

    /// Ends a writer, whose entry is stored if it has not been discarded.
    fileprivate func close(_ id: UInt128, _ key: CacheKey, body: CacheBlocks, record: CacheRecord?) {
        let size = record.map(Self.size(of:))
        state.withLock { state in
            state.bytes -= body.length
            guard state.writers.close(id), let record, let size else { return }
            insert(Stored(id: id, record: record, body: body, size: size + body.length), for: key, in: &state)
        }
    }
}

extension [UInt8] {
    /// Returns random bytes.
    static func random(count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0 ... .max) } }
}

/// A writer of an entry in memory.
private final class MemoryWriter: CacheWriter {
    private let store: MemoryStore
    private let key: CacheKey
    private let id: UInt128
    /// The body so far; `nil` after the end.
    private let body = Locked<CacheBlocks?>(CacheBlocks())

    init(of store: MemoryStore, key: CacheKey, id: UInt128) {
        (self.store, self.key, self.id) = (store, key, id)
    }

    deinit {
        end(storing: nil)
    }

    func append(_ data: Data) {
        let count = Int64(data.count)
        let hasRoom = body.withLock { body in
            guard let length = body?.length else { return true }
            guard store.admits(length + count), store.reserve(count) else { return false }
            body?.append(data)
            return true
        }
        if !hasRoom { cancel() }
    }

    func finish(_ record: CacheRecord) { end(storing: record) }

    func cancel() { end(storing: nil) }

    private func end(storing record: CacheRecord?) {
        guard var body = body.withLock({ $0.take() }) else { return }
        body.compact()
        store.close(id, key, body: body, record: record)
    }
}
