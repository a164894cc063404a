/// The numbers of the idle connections of a transport's engines, and the limit of their sum.
///
/// If there are too many, the engine with the oldest one has to close it. That connection is not counted from then on,
/// although the engine may close it a moment later.
struct IdleTable {
    private struct Entry {
        var count = 0
        /// The time since which the oldest connection has been idle.
        var oldest: MonotonicTime?
        /// The number of connections that the engine has to close.
        var excessCount = 0
    }

    private let limit: Int?
    private var entries: [Entry]

    /// - Parameters:
    ///   - limit: The maximum number of idle connections, at least 1, or `nil` for no limit.
    ///   - engineCount: The number of engines.
    init(limit: Int?, engineCount: Int) {
        self.limit = limit.map { max($0, 1) }
        entries = [Entry](repeating: Entry(), count: engineCount)
    }

    /// Sets the number of an engine's idle connections.
    ///
    /// - Returns: The engine that has to close its oldest connection, if there are too many.
    mutating func set(_ count: Int, oldest: MonotonicTime?, of engine: Int) -> Int? {
        guard let limit else { return nil }
        entries[engine].count = count
        entries[engine].oldest = oldest
        entries[engine].excessCount = min(entries[engine].excessCount, count)
        var total = entries.reduce(0) { $0 + $1.count - $1.excessCount }
        // The engine has closed a connection, or uses it again, which makes room for another one.
        for index in [engine] + entries.indices where total < limit && entries[index].excessCount > 0 {
            let spared = min(entries[index].excessCount, limit - total)
            entries[index].excessCount -= spared
            total += spared
        }
        guard total > limit else { return nil }
        let candidates = entries.indices.compactMap { index in
            entries[index].count > entries[index].excessCount
                ? entries[index].oldest.map { (engine: index, oldest: $0) } : nil
        }
        guard let found = candidates.min(by: { $0.oldest < $1.oldest })?.engine else { return nil }
        entries[found].excessCount += 1
        return found
    }

    /// Returns the number of connections that an engine has to close.
    func excessCount(of engine: Int) -> Int { entries[engine].excessCount }
}
