import Measuring
import PipelinesOfOpenCombine
import PipelinesOfStreams

/// What a live subscription takes.
struct MemoryComparison: Codable {
    struct Side: Codable {
        /// Bytes of the heap a subscription.
        let bytes: Double
        /// Pieces of memory asked for, a subscription.
        let allocations: Double
    }

    static let name = "memory: passthrough.map.filter.sink"
    static let subscriptions = 100_000

    let sides: [String: Side]

    /// How often this library's memory fits into OpenCombine's.
    var ratio: Double? {
        guard let ours = sides["Streams"], let theirs = sides["OpenCombine"], ours.bytes > 0 else { return nil }
        return theirs.bytes / ours.bytes
    }

    static func measure() -> MemoryComparison {
        MemoryComparison(sides: [
            "Streams": measure(PipelinesOfStreams.withLiveSubscriptions),
            "OpenCombine": measure(PipelinesOfOpenCombine.withLiveSubscriptions),
        ])
    }

    private static func measure(_ withLiveSubscriptions: (Int, () -> Void) -> Void) -> Side {
        // What is there once and for all does not count.
        withLiveSubscriptions(10) {}
        let before = Allocations.bytesInUse
        var after = before
        withLiveSubscriptions(subscriptions) { after = Allocations.bytesInUse }
        let allocations = Allocations.count { withLiveSubscriptions(subscriptions) {} }
        return Side(
            bytes: Double(after - before) / Double(subscriptions),
            allocations: Double(allocations) / Double(subscriptions))
    }
}
