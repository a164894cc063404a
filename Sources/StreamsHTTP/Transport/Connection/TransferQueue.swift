/// A queue of waiting transfers. It drops transfers that have ended in the meantime.
struct TransferQueue {
    private static let leastPurge = 64

    private var transfers: [CurlTransfer] = []
    /// The number of transfers at which those that have ended are removed, so that the queue does not keep them.
    private var purgeCount = leastPurge

    var isEmpty: Bool { transfers.isEmpty }

    mutating func append(_ transfer: CurlTransfer) {
        transfers.append(transfer)
        guard transfers.count >= purgeCount else { return }
        transfers.removeAll { $0.index == nil }
        purgeCount = max(transfers.count * 2, Self.leastPurge)
    }

    /// Removes and returns the first transfers that have not ended.
    mutating func take(_ count: Int = .max) -> [CurlTransfer] {
        var taken: [CurlTransfer] = []
        var end = 0
        while end < transfers.count, taken.count < count {
            if transfers[end].index != nil { taken.append(transfers[end]) }
            end += 1
        }
        transfers.removeFirst(end)
        return taken
    }

    /// Removes and returns the transfers that meet a condition.
    mutating func take(where condition: (CurlTransfer) -> Bool) -> [CurlTransfer] {
        let taken = transfers.filter { $0.index != nil && condition($0) }
        transfers.removeAll { $0.index == nil || condition($0) }
        return taken
    }
}
