/// Counts the connections of a transport, by origin. The engine's thread counts, and any thread may read the counts.
final class ConnectionCounter: Sendable {
    private struct Socket {
        let origin: String
        var isConnecting = true
    }

    private struct State {
        var sockets: [CInt: Socket] = [:]
        var origins = OriginTable<OriginConnections>()
    }

    private let state = Locked(State())

    /// The counts of all origins.
    var counts: [OriginConnections] { state.withLock { Array($0.origins.values.values) } }

    /// Counts a socket that has been opened.
    func opened(_ descriptor: CInt, to origin: String) {
        state.withLock { state in
            state.sockets[descriptor] = Socket(origin: origin)
            Self.update(origin, in: &state) { $0.connecting += 1 }
        }
    }

    /// Stops counting a socket.
    func closed(_ descriptor: CInt) {
        state.withLock { state in
            guard let socket = state.sockets.removeValue(forKey: descriptor) else { return }
            Self.update(socket.origin, in: &state) { counts in
                if socket.isConnecting { counts.connecting -= 1 } else { counts.open -= 1 }
            }
        }
    }

    /// Counts an open socket as a connection.
    func connected(_ descriptor: CInt) {
        state.withLock { state in
            guard let socket = state.sockets[descriptor], socket.isConnecting else { return }
            state.sockets[descriptor]?.isConnecting = false
            Self.update(socket.origin, in: &state) { counts in
                counts.connecting -= 1
                counts.open += 1
            }
        }
    }

    /// Counts an exchange that has a connection.
    func beganExchange(with origin: String, isReused: Bool) {
        state.withLock { state in
            Self.update(origin, in: &state) { counts in
                counts.exchanges += 1
                if isReused { counts.reused += 1 } else { counts.opened += 1 }
            }
        }
    }

    /// Stops counting an exchange.
    ///
    /// - Parameters:
    ///   - origin: The origin that it has begun with.
    ///   - version: The version of its response; `nil` if there was none.
    func endedExchange(with origin: String, version: HTTPVersion?) {
        state.withLock { state in
            Self.update(origin, in: &state) { counts in
                counts.exchanges -= 1
                counts.version = version ?? counts.version
            }
        }
    }

    private static func update(_ origin: String, in state: inout State, _ change: (inout OriginConnections) -> Void) {
        state.origins.update(
            origin, initial: OriginConnections(origin: origin),
            removing: { $0.connecting == 0 && $0.open == 0 && $0.exchanges == 0 }, change)
    }
}
