import Measuring
import PipelinesOfOpenCombine
import PipelinesOfStreams

/// The memory of a live subscription in two libraries.
struct MemoryComparison: Codable {
    struct Side: Codable {
        /// The bytes of the heap per subscription.
        let bytes: Double
        /// The number of allocations per subscription.
        let allocations: Double
    }

    static let name = "memory: passthrough.map.filter.sink"
    static let subscriptions = 100_000

    let sides: [String: Side]

    /// The memory of OpenCombine divided by that of this library.
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
        // Memory that is allocated once does not count.
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
