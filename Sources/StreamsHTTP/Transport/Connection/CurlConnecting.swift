#if canImport(CLibcurl)
import CLibcurl

/// The resources that the opening of a connection needs: a lookup of the name, an allowed address, and a descriptor.
struct CurlConnecting {
    /// The resource that the opening was refused.
    enum Shortage {
        case lookup, descriptor
    }

    private let request: TransportRequest
    private let route: Route
    private var lookups: NameLookups?
    /// Whether a lookup is under way for this opening.
    private var hasLookup = false
    /// The address that the request's rule refused last.
    private var lastRefusedAddress: IPAddress?
    /// Whether the request's rule allowed an address.
    private var hasAllowedAddress = false
    /// The sockets that were opened, until one of them is the connection's.
    private var sockets: [CInt] = []
    private(set) var shortage: Shortage?
    /// The time since which the opening has waited for a descriptor.
    private(set) var waitingSince: MonotonicTime?

    init(_ request: TransportRequest, _ route: Route) {
        self.request = request
        self.route = route
    }

    /// The address that was refused, if none was allowed.
    var refusedAddress: IPAddress? { hasAllowedAddress ? nil : lastRefusedAddress }

    /// Refuses the opening a descriptor before it asks for one.
    mutating func refuseDescriptor() {
        shortage = .descriptor
    }

    /// Takes the resource that the opening was refused.
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

    /// Ends the opening's lookup, if there is one.
    mutating func endLookup() {
        guard hasLookup else { return }
        hasLookup = false
        lookups?.end(route)
    }

    /// Ends the opening's lookup, if there is one, as failed.
    ///
    /// - Returns: The openings that wait for its result.
    mutating func endFailedLookup() -> [ConnectionOpening] {
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

    /// Records that the connection is open.
    ///
    /// - Parameter localPort: The local port of the connection; `nil` if it is unknown.
    mutating func connected(_ poller: SocketPoller, for owner: ObjectIdentifier, localPort: CInt?) {
        endLookup()
        poller.connected(sockets, of: owner, localPort: localPort)
        sockets = []
    }

    /// Forgets the sockets that are not the connection's, which libcurl has closed.
    mutating func abandonSockets(_ poller: SocketPoller, for owner: ObjectIdentifier) {
        poller.abandon(sockets, of: owner)
        sockets = []
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
