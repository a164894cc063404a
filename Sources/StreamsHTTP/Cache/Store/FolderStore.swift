import Dispatch

/// A store in a folder, which several processes may share.
///
/// All work on files is done on a serial queue: the threads that call are those of sockets. A file that is damaged, or that
/// is not the store's, is no entry. Entries are written to files of other names, and renamed when they are complete, so
/// that a process can end at any moment. A removal does not stop what another process is writing.
final class FolderStore: CacheStore {
    /// The memory in bytes that pieces of bodies may take while they wait for the disk. If the disk is slower than they
    /// arrive, they are not stored.
    static let maxWaitingBytes = 4 << 20
    /// The memory in bytes that a piece takes besides its contents.
    private static let overhead = 512
    /// The time in seconds after which another use of an entry is noted.
    private static let touchInterval: UInt64 = 60

    struct State {
        var usage: FolderUsage
        var writers = OpenWriters()
        var removals = AwaitedRemovals()
        var waitingBytes = 0
        /// The scan that is under way, and the entries that it has found.
        var scan: FolderScan?
        var uses: [FolderScan.Use] = []
        /// Whether the disk was full.
        var mustShrink = false
    }

    let secret: [UInt8]
    let folder: CacheFolder
    let queue = DispatchQueue(label: "streams.cache")
    let state: Locked<State>
    private let reads: AwaitedReads
    private let maxBodyLength: Int64
    private let writing: UnfinishedEntry.WriteBytes

    /// Opens a store. The files are counted in the background.
    ///
    /// - Parameters:
    ///   - path: The path of the folder, which is created with access for this user alone if there is none. The folder
    ///     that contains it must exist.
    ///   - maxBytes: The size in bytes that the files may have. It is exceeded for a moment before the least recently used
    ///     entries are removed. The body of one entry may have an eighth.
    ///   - maxEntries: The number of entries, likewise.
    ///   - maxReadTime: The time after which a read counts as a miss, and the disk as one that hangs.
    ///   - writing: A function that writes to files.
    /// - Throws: The error of a folder that cannot be created, that is another user's, or that other users may change. A
    ///   folder that cannot be written to is no error.
    init(
        path: String, maxBytes: Int64, maxEntries: Int, maxReadTime: DispatchTimeInterval = .seconds(10),
        writing: @escaping UnfinishedEntry.WriteBytes = Folder.writeAll
    ) throws(FileError) {
        folder = try CacheFolder(path)
        secret = folder.secret()
        reads = AwaitedReads(maxTime: maxReadTime)
        maxBodyLength = maxEntries > 0 ? maxBytes / 8 : -1
        self.writing = writing
        state = Locked(State(usage: FolderUsage(limits: CacheUsage(bytes: maxBytes, entries: maxEntries))))
        startScan()
    }

    func find(_ key: CacheKey, _ completion: @escaping @Sendable (CacheEntry?) -> Void) {
        read({ [self] in entry(for: key) }, completion)
    }

    func makeWriter(for key: CacheKey, length: Int64?) -> (any CacheWriter)? {
        guard length ?? 0 <= maxBodyLength, !reads.isStalled else { return nil }
        return FolderWriter(UnfinishedEntry(for: key, in: folder, writing: writing), of: self, maxLength: maxBodyLength)
    }

    func update(_ entry: CacheEntry, with record: CacheRecord) {
        guard !reads.isStalled else { return }
        perform { [self] in replaceRecord(of: entry, with: record) }
    }

    func put(_ record: CacheRecord, for key: CacheKey) {
        guard !reads.isStalled else { return }
        let entry = UnfinishedEntry(for: key, in: folder, writing: writing)
        open(entry)
        perform { [self] in close(entry, record) }
    }

    func remove(_ key: CacheKey) {
        let isFirst = state.withLock { state in
            state.writers.discard(key)
            return state.removals.add(key)
        }
        if isFirst { perform { [self] in removeAwaited() } }
    }

    func removeAll(_ completion: @escaping @Sendable (FileError?) -> Void) {
        state.withLock { $0.writers.discardAll() }
        perform { [self] in completion(removeAllFiles()) }
    }

    func synchronize(_ completion: @escaping @Sendable () -> Void) {
        perform(completion)
    }

    var usage: CacheUsage {
        let total = state.withLock { $0.usage.total }
        // Another process may have written what this one has removed, and not yet counted.
        return CacheUsage(bytes: max(total.bytes, 0), entries: max(total.entries, 0))
    }

    /// The memory that pieces of bodies take while they wait for the disk.
    var waitingBytes: Int { state.withLock { $0.waitingBytes } }

    /// Reads from files, after all that was requested before, and for a limited time.
    ///
    /// - Parameters:
    ///   - work: A function that reads.
    ///   - completion: A function that is called once with the result, or with `nil` if the disk hangs.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value?, _ completion: @escaping @Sendable (Value?) -> Void
    ) {
        guard let number = reads.begin({ completion(nil) }) else { return }
        perform { [reads] in
            let value = work()
            if reads.end(number) { completion(value) }
        }
    }

    /// Runs work on files, after all that was requested before.
    func perform(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}

// MARK: Reading

extension FolderStore {
    private func entry(for key: CacheKey) -> CacheEntry? {
        guard let (file, status) = CacheFolder.openFile(at: folder.path(of: key)) else { return nil }
        guard let stored = StoredEntry(file, size: Int64(status.st_size), key: key) else {
            removeDamaged(file, key, size: Int64(status.st_size))
            return nil
        }
        if status.distance(to: Int64(time(nil))) >= Self.touchInterval { futimens(file.descriptor, nil) }
        let body: any CacheBody = stored.body ?? FolderBody(file, stored.footer, key: key, store: self)
        return CacheEntry(key: key, id: stored.footer.id, record: stored.footer.record, body: body)
    }

    /// Removes a file that is damaged, unless another has its name.
    ///
    /// - Parameter size: The size with which the file was counted.
    func removeDamaged(_ file: OpenFile, _ key: CacheKey, size: Int64) {
        guard file.isNamed, unlink(file.path) == 0 else { return }
        add(-FolderUsage.occupied(size), entries: -1, for: key)
    }
}

// MARK: Removing

extension FolderStore {
    private func removeAwaited() {
        switch state.withLock({ $0.removals.take() }) {
        case .keys(let keys)?: for key in keys { removeFile(key) }
        case .all?: _ = removeAllFiles()
        case nil: break
        }
    }

    private func removeFile(_ key: CacheKey) {
        let path = folder.path(of: key)
        guard let status = CacheFolder.ownStatus(of: path), unlink(path) == 0 else { return }
        add(-FolderUsage.occupied(Int64(status.st_size)), entries: -1, for: key)
    }
}

// MARK: Writing

extension FolderStore {
    /// Counts a piece that waits to be written. Returns whether there is room for it.
    fileprivate func reserve(_ piece: Data) -> Bool {
        let size = piece.count + Self.overhead
        return state.withLock { state in
            // One piece may be larger, because it is in memory anyway.
            guard state.waitingBytes == 0 || state.waitingBytes + size <= Self.maxWaitingBytes else { return false }
            state.waitingBytes += size
            return true
        }
    }

    fileprivate func open(_ entry: UnfinishedEntry) {
        state.withLock { $0.writers.open(entry.format.id, entry.format.key) }
    }

    fileprivate func append(_ piece: Data, to entry: UnfinishedEntry) {
        write(entry) { () throws(FileError) in try entry.append(piece) }
        state.withLock { $0.waitingBytes -= piece.count + Self.overhead }
    }

    fileprivate func close(_ entry: UnfinishedEntry, _ record: CacheRecord?) {
        let mayStore = state.withLock { $0.writers.close(entry.format.id) }
        if mayStore, let record { finish(entry, record) } else { discard(entry) }
    }

    fileprivate func discard(_ entry: UnfinishedEntry) {
        add(-FolderUsage.occupied(entry.discard()), entries: 0, for: entry.format.key)
    }

    private func finish(_ entry: UnfinishedEntry, _ record: CacheRecord) {
        let path = folder.path(of: entry.format.key)
        guard CacheFolder.isFree(path) else { return discard(entry) }
        let former = CacheFolder.ownStatus(of: path)
        guard write(entry, { () throws(FileError) in try entry.finish(record) }) else { return }
        add(-FolderUsage.occupied(Int64(former?.st_size ?? 0)), entries: former == nil ? 1 : 0, for: entry.format.key)
    }

    /// Writes to an entry, which is discarded if that fails.
    @discardableResult
    private func write(_ entry: UnfinishedEntry, _ body: () throws(FileError) -> Void) -> Bool {
        let before = FolderUsage.occupied(entry.fileSize)
        do throws(FileError) {
            try body()
            add(FolderUsage.occupied(entry.fileSize) - before, entries: 0, for: entry.format.key)
            return true
        } catch {
            add(FolderUsage.occupied(entry.fileSize) - before, entries: 0, for: entry.format.key)
            discard(entry)
            state.withLock { _ = $0.writers.close(entry.format.id) }
            if error.code == ENOSPC || error.code == EDQUOT { shrink() }
            return false
        }
    }

    /// Writes a record over that of an entry's file. A process that ends meanwhile leaves a file with a wrong checksum.
    private func replaceRecord(of entry: CacheEntry, with record: CacheRecord) {
        guard let (file, status) = CacheFolder.openFile(at: folder.path(of: entry.key), O_RDWR) else { return }
        let size = Int64(status.st_size)
        guard let stored = StoredEntry(file, size: size, key: entry.key) else {
            return removeDamaged(file, entry.key, size: size)
        }
        let format = EntryFormat(key: entry.key, id: entry.id)
        guard stored.footer.id == entry.id, let footer = format.footer(record, bodyLength: entry.bodyLength) else {
            return
        }
        let position = EntryFormat.storedLength(ofBody: entry.bodyLength)
        guard lseek(file.descriptor, off_t(position), SEEK_SET) >= 0, writing(footer, file.descriptor) == 0,
            ftruncate(file.descriptor, off_t(position) + off_t(footer.count)) == 0
        else { return removeDamaged(file, entry.key, size: size) }
        let growth = FolderUsage.occupied(position + Int64(footer.count)) - FolderUsage.occupied(size)
        add(growth, entries: 0, for: entry.key)
    }

    /// Counts what has been written or removed.
    private func add(_ bytes: Int64, entries: Int, for key: CacheKey) {
        let mustScan = state.withLock {
            $0.usage.add(bytes: bytes, entries: entries, toShard: CacheFolder.shard(of: key))
        }
        if mustScan { startScan() }
    }
}

/// A writer of an entry in a folder.
private final class FolderWriter: CacheWriter {
    private let store: FolderStore
    private let entry: UnfinishedEntry
    /// The number of bytes that may follow; `nil` after the end.
    private let remaining: Locked<Int64?>

    init(_ entry: UnfinishedEntry, of store: FolderStore, maxLength: Int64) {
        (self.store, self.entry) = (store, entry)
        remaining = Locked(maxLength)
        store.open(entry)
    }

    deinit {
        end(storing: nil)
    }

    func append(_ data: Data) {
        let isTooLong = remaining.withLock { remaining in
            remaining? -= Int64(data.count)
            return remaining.map { $0 < 0 }
        }
        guard let isTooLong else { return }
        guard !isTooLong, store.reserve(data) else { return cancel() }
        // A copy keeps no larger buffer alive while it waits.
        let piece = data.withUnsafeBytes { Data($0) }
        store.perform { [store, entry] in store.append(piece, to: entry) }
    }

    func finish(_ record: CacheRecord) { end(storing: record) }

    func cancel() { end(storing: nil) }

    private func end(storing record: CacheRecord?) {
        guard remaining.withLock({ $0.take() }) != nil else { return }
        store.perform { [store, entry] in store.close(entry, record) }
    }
}
