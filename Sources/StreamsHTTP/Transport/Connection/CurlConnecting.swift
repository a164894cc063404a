#if canImport(CLibcurl)
import CLibcurl

/// The resources that a transfer needs for a connection: a lookup of the name, an allowed address, a descriptor, or a
/// connection that the peer has not closed.
struct CurlConnecting {
    /// The resource that the transfer was refused.
    enum Shortage {
        case lookup, descriptor, openConnection
    }

    private let request: TransportRequest
    private let route: Route
    private var lookups: NameLookups?
    /// Whether a lookup is under way for this transfer.
    private var hasLookup = false
    /// The address that the request's rule refused last.
    private var lastRefusedAddress: IPAddress?
    /// Whether the request's rule allowed an address.
    private var hasAllowedAddress = false
    /// The sockets that were opened for the transfer, until it has a connection.
    private var sockets: [CInt] = []
    /// The origin under which the transfer is counted, while it has a connection.
    private var countedOrigin: String?
    /// Whether the transfer uses a new connection, because one that it was to reuse had been closed.
    private(set) var needsNewConnection = false
    private(set) var shortage: Shortage?
    /// The time since which the transfer has waited for a descriptor.
    private(set) var waitingSince: MonotonicTime?

    init(_ request: TransportRequest, _ route: Route) {
        self.request = request
        self.route = route
    }

    /// The address that was refused, if none was allowed.
    var refusedAddress: IPAddress? { hasAllowedAddress ? nil : lastRefusedAddress }

    /// Takes the resource that the transfer was refused.
    mutating func takeShortage(now: MonotonicTime) -> Shortage? {
        if shortage == .descriptor { waitingSince = waitingSince ?? now }
        return shortage.take()
    }
}

// MARK: Lookups

extension CurlConnecting {
    mutating func use(_ lookups: NameLookups) {
        self.lookups = lookups
    }

    /// Begins a lookup.
    ///
    /// - Returns: Whether libcurl may look the name up now.
    mutating func beginLookup() -> Bool {
        guard !hasLookup, let lookups else { return true }
        hasLookup = lookups.begin(route)
        if hasLookup || NameLookups.isUnnecessary(for: request, route) { return true }
        shortage = .lookup
        return false
    }

    /// Ends the transfer's lookup, if there is one.
    mutating func endLookup() {
        guard hasLookup else { return }
        hasLookup = false
        lookups?.end(route)
    }

    /// Ends the transfer's lookup, if there is one, as failed.
    ///
    /// - Returns: The transfers that wait for its result.
    mutating func endFailedLookup() -> [CurlTransfer] {
        guard hasLookup else { return [] }
        hasLookup = false
        return lookups?.endFailed(route) ?? []
    }
}

// MARK: Sockets

extension CurlConnecting {
    /// Opens a socket for an address, if the request's rule allows it and there is a descriptor.
    ///
    /// - Returns: The descriptor, or `nil`.
    mutating func openSocket(
        _ address: UnsafeMutableRawPointer, _ poller: SocketPoller, for owner: ObjectIdentifier
    ) -> CInt? {
        endLookup()
        guard allows(address) else { return nil }
        do throws(SocketPoller.SocketError) {
            let descriptor = try poller.openSocket(address, to: request.lazyURL.origin, for: owner)
            (shortage, waitingSince) = (nil, nil)
            sockets.append(descriptor)
            return descriptor
        } catch {
            if error.isShortage { shortage = .descriptor }
            return nil
        }
    }

    /// Returns whether the transfer may use the connection that libcurl has chosen, for versions that do not look at
    /// it. The connection is new if it was opened for the transfer.
    mutating func mayUseConnection(localPort: CInt, isNew: Bool, _ poller: SocketPoller) -> Bool {
        guard !CurlTransport.Runtime.current.checksEveryReuse else { return true }
        if isNew {
            for socket in sockets { poller.identify(socket, localPort: localPort) }
            return true
        }
        guard poller.isClosedByPeer(localPort: localPort) else { return true }
        // Nothing has been sent.
        shortage = .openConnection
        needsNewConnection = true
        return false
    }

    /// Records that the transfer has a connection, whose local port is `nil` if it is unknown.
    ///
    /// - Returns: Whether another transfer has used the connection before.
    @discardableResult
    mutating func connected(_ poller: SocketPoller, for owner: ObjectIdentifier, localPort: CInt?) -> Bool {
        endLookup()
        let isReused = sockets.isEmpty
        poller.connected(sockets, of: owner, localPort: localPort)
        sockets = []
        return isReused
    }

    /// Counts the transfer among those that have a connection.
    mutating func beginExchange(_ poller: SocketPoller, isReused: Bool) {
        guard countedOrigin == nil else { return }
        let origin = request.lazyURL.origin
        poller.connections.beganExchange(with: origin, isReused: isReused)
        countedOrigin = origin
    }

    /// Stops counting the transfer, which has left its connection or has been removed without one. The version is that
    /// of the response; `nil` if there was none.
    mutating func endExchange(_ poller: SocketPoller, for owner: ObjectIdentifier, version: HTTPVersion?) {
        poller.abandon(sockets, of: owner)
        sockets = []
        guard let origin = countedOrigin.take() else { return }
        poller.connections.endedExchange(with: origin, version: version)
    }

    private mutating func allows(_ address: UnsafeMutableRawPointer) -> Bool {
        // Sockets other than those of IPv4 and IPv6 are unix-domain sockets.
        guard let rule = request.connection.allowsAddress, let socketAddress = streams_curl_socket_address(address),
            let address = IPAddress(socketAddress)
        else { return true }
        guard rule.allows(address) else {
            lastRefusedAddress = address
            return false
        }
        hasAllowedAddress = true
        return true
    }
}
#endif
