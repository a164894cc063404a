#if canImport(CLibcurl)
/// The exchanges for which connections are to be opened, in order for each destination.
///
/// Only so many connections are opened to one destination at once: each takes up to three descriptors meanwhile, and a server
/// refuses those that it has no room for. Only the engine's thread uses the queue.
struct OpeningQueue {
    private static let maxCount = 64

    private struct Lane {
        var waiting = WaitingQueue<Exchange>()
        /// The number of connections that are being opened.
        var count = 0

        /// Whether the next connection may be opened. One that speaks HTTP/2 may serve all that wait.
        var isReady: Bool {
            guard let next = waiting.first else { return false }
            return count < (next.allowsHTTP2 ? 1 : maxCount)
        }
    }

    private var lanes: [String: Lane] = [:]
    /// The destinations that may have room for an exchange that waits.
    private var ready: [String] = []

    mutating func append(_ exchange: Exchange) {
        update(exchange.route.destination) { $0.waiting.append(exchange) }
    }

    /// Whether there is an exchange to take.
    mutating func hasNext() -> Bool {
        while let destination = ready.last {
            if lanes[destination]?.isReady ?? false { return true }
            ready.removeLast()
        }
        return false
    }

    /// Takes the next exchange, whose connection is being opened from now on.
    mutating func next() -> Exchange? {
        guard hasNext(), let destination = ready.last else { return nil }
        lanes[destination]?.count += 1
        return lanes[destination]?.waiting.popFirst()
    }

    /// Whether exchanges wait that a connection to a destination may serve.
    func hasWaiting(for destination: String) -> Bool { !(lanes[destination]?.waiting.isEmpty ?? true) }

    /// Calls a closure for the exchanges that wait, which may change whether they can share a connection.
    mutating func forEachWaiting(for destination: String, _ body: (Exchange) -> Void) {
        update(destination) { $0.waiting.elements.forEach(body) }
    }

    /// Takes an exchange that a connection serves, which so needs none of its own.
    mutating func take(for connection: TransportConnection) -> Exchange? {
        update(connection.route.destination) { lane in
            lane.waiting.popFirst { $0.isWaiting && connection.serves($0) }
        }
    }

    /// Counts the connection of an exchange among those that are being opened.
    mutating func begin(_ exchange: Exchange) {
        update(exchange.route.destination) { $0.count += 1 }
    }

    /// Stops counting the connection of an exchange.
    mutating func end(_ exchange: Exchange) {
        update(exchange.route.destination) { $0.count -= 1 }
    }

    private mutating func update<Result>(_ destination: String, _ body: (inout Lane) -> Result) -> Result {
        // Removed meanwhile, so that the list is not copied.
        var lane = lanes.removeValue(forKey: destination) ?? Lane()
        let result = body(&lane)
        if lane.count > 0 || !lane.waiting.isEmpty { lanes[destination] = lane }
        if lane.isReady { ready.append(destination) }
        return result
    }
}
#endif
