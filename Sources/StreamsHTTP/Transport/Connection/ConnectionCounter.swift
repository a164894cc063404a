/// Counts the connections of a transport, by origin. The engine's thread counts, and any thread may read the counts.
final class ConnectionCounter: Sendable {
    private let origins = Locked(OriginTable<OriginConnections>())

    /// The counts of all origins.
    var counts: [OriginConnections] { origins.withLock { Array($0.values.values) } }

    /// Counts a socket that has been opened to an origin.
    func opened(_ origin: String) {
        update(origin) { $0.connecting += 1 }
    }

    /// Counts a socket as a connection, which has been connecting so far.
    func connected(_ origin: String) {
        update(origin) { counts in
            counts.connecting -= 1
            counts.open += 1
        }
    }

    /// Stops counting a socket.
    func closed(_ origin: String, isConnecting: Bool) {
        update(origin) { counts in
            if isConnecting { counts.connecting -= 1 } else { counts.open -= 1 }
        }
    }

    /// Counts an exchange that has a connection.
    func beganExchange(with origin: String, isReused: Bool) {
        update(origin) { counts in
            counts.exchanges += 1
            if isReused { counts.reused += 1 } else { counts.opened += 1 }
        }
    }

    /// Stops counting an exchange. The version is that of its response; `nil` if there was none.
    func endedExchange(with origin: String, version: HTTPVersion?) {
        update(origin) { counts in
            counts.exchanges -= 1
            counts.version = version ?? counts.version
        }
    }

    private func update(_ origin: String, _ change: (inout OriginConnections) -> Void) {
        origins.withLock { origins in
            origins.update(
                origin, initial: OriginConnections(origin: origin),
                removing: { $0.connecting == 0 && $0.open == 0 && $0.exchanges == 0 }, change)
        }
    }
}
