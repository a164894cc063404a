/// The exchanges for which connections are to be opened, in order for each origin.
///
/// Only so many connections are opened to one origin at once: each takes up to three descriptors meanwhile, and a server
/// refuses those that it has no room for. Only the engine's thread uses the queue.
struct OpeningQueue {
    private static let maxCount = 64

    private struct Lane {
        var waiting: [HTTP1Exchange] = []
        /// The number of connections that are being opened.
        var count = 0

        var isReady: Bool { !waiting.isEmpty && count < maxCount }
    }

    private var lanes: [String: Lane] = [:]
    /// The origins that may have room for an exchange that waits.
    private var ready: [String] = []

    mutating func append(_ exchange: HTTP1Exchange) {
        update(exchange) { $0.waiting.append(exchange) }
    }

    /// Whether there is an exchange to take.
    mutating func hasNext() -> Bool {
        while let origin = ready.last {
            if lanes[origin]?.isReady ?? false { return true }
            ready.removeLast()
        }
        return false
    }

    /// Takes the next exchange, whose connection is being opened from now on.
    mutating func next() -> HTTP1Exchange? {
        guard hasNext(), let origin = ready.last else { return nil }
        lanes[origin]?.count += 1
        return lanes[origin]?.waiting.removeFirst()
    }

    /// Counts the connection of an exchange among those that are being opened.
    mutating func begin(_ exchange: HTTP1Exchange) {
        update(exchange) { $0.count += 1 }
    }

    /// Stops counting the connection of an exchange.
    mutating func end(_ exchange: HTTP1Exchange) {
        update(exchange) { $0.count -= 1 }
    }

    private mutating func update(_ exchange: HTTP1Exchange, _ body: (inout Lane) -> Void) {
        let origin = exchange.request.lazyURL.origin
        var lane = lanes.removeValue(forKey: origin) ?? Lane()
        body(&lane)
        if lane.count > 0 || !lane.waiting.isEmpty { lanes[origin] = lane }
        if lane.isReady { ready.append(origin) }
    }
}
