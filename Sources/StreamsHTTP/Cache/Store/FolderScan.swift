/// A scan of a store's folder, which counts the files and finds those that were used least recently.
struct FolderScan {
    /// The largest difference in seconds between the clock and the time of a file that was written now.
    private static let tolerance: Int64 = 60

    /// The time of an entry's last use, and its size.
    struct Use {
        let time: Int64
        let bytes: Int64
    }

    /// The time in seconds at the beginning.
    private let start = Int64(time(nil))

    /// Returns the time of an entry's last use in nanoseconds. A time in the future is from a clock that was wrong, and
    /// does not protect the entry.
    func lastUse(_ status: stat) -> Int64 {
        let time = status.modification
        let seconds = Int64(time.tv_sec)
        guard seconds <= start + Self.tolerance, seconds > 0 else { return 0 }
        // Until the year 2242.
        return min(seconds, 1 << 33) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Returns the last use of the most recently used entry that has to be removed.
    static func limit(_ uses: [Use], toFree excess: CacheUsage) -> Int64 {
        var freed = CacheUsage()
        for use in uses.sorted(by: { $0.time < $1.time }) {
            freed.bytes += use.bytes
            freed.entries += 1
            if freed.bytes >= excess.bytes, freed.entries >= excess.entries { return use.time }
        }
        return .max
    }
}

extension FolderStore {
    /// Whether the files are being counted.
    var isScanning: Bool { state.withLock { $0.scan != nil } }

    /// Starts a scan, if none is under way. Each folder is a piece of work of its own, so that others need not wait.
    func startScan() {
        let isNew = state.withLock { state in
            guard state.scan == nil else { return false }
            state.scan = FolderScan()
            return true
        }
        if isNew { perform { [self] in scan(0) } }
    }

    /// Removes entries because the disk is full.
    func shrink() {
        state.withLock { $0.mustShrink = true }
        startScan()
    }

    private func scan(_ shard: Int) {
        guard shard < CacheFolder.shardCount else { return removeOldest() }
        guard let scan = state.withLock({ $0.scan }) else { return }
        defer { perform { [self] in self.scan(shard + 1) } }
        // Without a free descriptor, for one, the earlier count is better than none.
        guard let files = try? folder.files(inShard: shard) else { return }
        var usage = CacheUsage()
        var uses: [FolderScan.Use] = []
        for file in files {
            if !file.isEntry, CacheFolder.removeAbandoned(file.path) { continue }
            let bytes = FolderUsage.occupied(Int64(file.status.st_size))
            usage.bytes += bytes
            guard file.isEntry else { continue }
            usage.entries += 1
            uses.append(FolderScan.Use(time: scan.lastUse(file.status), bytes: bytes))
        }
        state.withLock { state in
            state.usage.count(usage, inShard: shard)
            state.uses += uses
        }
    }

    private func removeOldest() {
        let (excess, uses) = state.withLock { state in
            defer { (state.mustShrink, state.uses) = (false, []) }
            return (state.usage.excess(mustShrink: state.mustShrink), state.uses)
        }
        guard excess.bytes > 0 || excess.entries > 0 else { return endScan() }
        removeOldest(0, until: FolderScan.limit(uses, toFree: excess), excess)
    }

    /// Removes the entries in a folder that were not used after a time.
    private func removeOldest(_ shard: Int, until limit: Int64, _ excess: CacheUsage) {
        guard shard < CacheFolder.shardCount, excess.bytes > 0 || excess.entries > 0,
            let scan = state.withLock({ $0.scan })
        else { return endScan() }
        var excess = excess
        for file in (try? folder.files(inShard: shard)) ?? [] where file.isEntry {
            guard excess.bytes > 0 || excess.entries > 0 else { break }
            guard scan.lastUse(file.status) <= limit, unlink(file.path) == 0 else { continue }
            let bytes = FolderUsage.occupied(Int64(file.status.st_size))
            excess.bytes -= bytes
            excess.entries -= 1
            state.withLock { _ = $0.usage.add(bytes: -bytes, entries: -1, toShard: shard) }
        }
        perform { [self, excess] in removeOldest(shard + 1, until: limit, excess) }
    }

    private func endScan() {
        let mustShrink = state.withLock { state in
            state.usage.endScan()
            state.scan = nil
            return state.mustShrink
        }
        if mustShrink { startScan() }
    }

    /// Removes all files of the store. Returns the first error.
    func removeAllFiles() -> FileError? {
        var failure: FileError?
        for shard in 0..<CacheFolder.shardCount {
            do throws(FileError) {
                let files = try folder.files(inShard: shard)
                for file in files where unlink(file.path) != 0 && errno != ENOENT {
                    failure = failure ?? FileError(path: file.path, code: errno)
                }
                let rest = try folder.files(inShard: shard)
                let bytes = rest.reduce(0) { $0 + FolderUsage.occupied(Int64($1.status.st_size)) }
                let usage = CacheUsage(bytes: bytes, entries: rest.count { $0.isEntry })
                state.withLock { $0.usage.count(usage, inShard: shard) }
            } catch {
                failure = failure ?? error
            }
        }
        return failure
    }
}
