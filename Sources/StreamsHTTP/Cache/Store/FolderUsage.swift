/// The sizes of the folders of a store, and the amount that may be written until they are counted again.
///
/// A scan counts one folder after the other while entries are written, and another process may write to the store, too.
/// So each folder has a count of its own, and all are counted again after a tenth of the limits has been written.
struct FolderUsage {
    private let limits: CacheUsage
    private var shards = [CacheUsage](repeating: CacheUsage(), count: CacheFolder.shardCount)
    private(set) var total = CacheUsage()
    private var remaining = CacheUsage()

    init(limits: CacheUsage) {
        self.limits = limits
    }

    /// Returns the size that a file takes on the disk: whole blocks of usual file systems.
    static func occupied(_ size: Int64) -> Int64 {
        // A sparse file may have any size.
        let size = min(size, 1 << 40)
        return (size + 4095) / 4096 * 4096
    }

    /// Adds to the size of a folder.
    ///
    /// - Returns: Whether the folders are to be counted again.
    mutating func add(bytes: Int64, entries: Int, toShard shard: Int) -> Bool {
        shards[shard].bytes += bytes
        shards[shard].entries += entries
        total.bytes += bytes
        total.entries += entries
        remaining.bytes -= max(bytes, 0)
        remaining.entries -= max(entries, 0)
        return remaining.bytes < 0 || remaining.entries < 0
    }

    /// Changes the size of a folder to one that was counted.
    mutating func count(_ usage: CacheUsage, inShard shard: Int) {
        total.bytes += usage.bytes - shards[shard].bytes
        total.entries += usage.entries - shards[shard].entries
        shards[shard] = usage
    }

    /// Notes that all folders have been counted.
    mutating func endScan() {
        remaining.bytes = Self.remaining(limits.bytes, total.bytes)
        remaining.entries = Int(Self.remaining(Int64(limits.entries), Int64(total.entries)))
    }

    private static func remaining(_ limit: Int64, _ total: Int64) -> Int64 {
        total <= limit ? min(limit / 10, limit - total) : limit / 10
    }

    /// Returns the amount that is to be removed.
    ///
    /// - Parameter mustShrink: Whether the disk is full, so that there has to be less than now.
    func excess(mustShrink: Bool) -> CacheUsage {
        CacheUsage(
            bytes: Self.excess(total.bytes, over: mustShrink ? min(limits.bytes, total.bytes - 1) : limits.bytes),
            entries: Int(Self.excess(Int64(total.entries), over: Int64(limits.entries))))
    }

    /// Returns the amount over nine tenths of a limit, if the limit is exceeded.
    private static func excess(_ total: Int64, over limit: Int64) -> Int64 {
        total > limit ? total - limit / 10 * 9 : 0
    }
}
