#if canImport(CLibcurl)
import CLibcurl

/// The opening of a connection by libcurl, for an exchange.
// Safe because only the engine's thread uses the variables. So exclusivity checks are unnecessary.
final class ConnectionOpening: @unchecked Sendable {
    /// The exchange that the connection is opened for.
    let exchange: Exchange
    @exclusivity(unchecked) private var poller: SocketPoller?
    /// The position in the loop's list of openings, or `nil` if it is not in the list.
    @exclusivity(unchecked) var index: Int?
    @exclusivity(unchecked) private(set) var handle: CurlHandle?
    /// The multi handle that the handle has been added to.
    @exclusivity(unchecked) private(set) var multi: MultiHandle?
    @exclusivity(unchecked) private var timing: ExchangeTiming
    @exclusivity(unchecked) var connecting: CurlConnecting
    /// Whether the opening is over.
    @exclusivity(unchecked) private(set) var isOver = false

    init(for exchange: Exchange) {
        self.exchange = exchange
        timing = exchange.timing
        connecting = CurlConnecting(exchange.request, exchange.route)
    }
}

// MARK: Called by the loop

extension ConnectionOpening {
    var request: TransportRequest { exchange.request }
    var route: Route { exchange.route }

    private var easy: OpaquePointer? { handle?.easy }

    /// Sets up a handle, which belongs to the opening until ``dispose(to:)``.
    ///
    /// - Parameter offersHTTP2: Whether HTTP/2 is offered to a server of https.
    func prepare(
        _ handlePool: HandlePool, _ poller: SocketPoller, _ lookups: NameLookups, offersHTTP2: Bool
    ) throws(TransportFailure) {
        self.poller = poller
        connecting.use(lookups)
        let handle = try handlePool.take(for: HandleKey(request, route, offersHTTP2: offersHTTP2))
        handle.opening = self
        handle.errorText.pointee = 0
        self.handle = handle
        try handle.begin(request)
    }

    /// Adds the handle to libcurl's.
    func add(to multi: MultiHandle) throws(TransportFailure) {
        guard let easy else { return }
        try multi.add(easy)
        self.multi = multi
    }

    /// Begins to connect, unless that has begun.
    func beginConnecting(now: MonotonicTime) {
        timing.beganConnecting()
        _ = timing.settle(now: now)
    }

    /// Releases the handle. The loop has removed it before.
    ///
    /// - Parameter handlePool: The pool for the handle, or `nil` if the handle must not be used again.
    func dispose(to handlePool: HandlePool? = nil) {
        guard let handle = handle.take() else { return }
        handle.opening = nil
        handlePool?.put(handle)
    }

    /// Returns the metrics so far, or `nil` if they are not wanted or the handle has been released.
    func measured() -> TransportEvent.Metrics? {
        guard request.wantsMetrics, !isOver, let easy else { return nil }
        return TransportEvent.Metrics(measuredBy: easy)
    }

    /// Whether the handle has been added to libcurl's.
    var isAdded: Bool { multi != nil }

    /// Removes the handle from libcurl's.
    ///
    /// - Returns: Whether it was one of them.
    @discardableResult
    func detach() -> Bool {
        guard let multi = multi.take(), let easy else { return false }
        multi.remove(easy)
        abandonSockets()
        return true
    }

    private func abandonSockets() {
        if let poller { connecting.abandonSockets(poller, for: ObjectIdentifier(self)) }
    }

    /// Records that the connection is open, for versions that do not announce it.
    ///
    /// - Returns: The measurements.
    func noticeOpened() -> TransportEvent.Metrics {
        if !timing.isConnected { connected() }
        return easy.map { TransportEvent.Metrics(measuredBy: $0) } ?? TransportEvent.Metrics(total: .zero)
    }

    /// The socket of the connection, if it is open.
    var activeSocket: CInt? {
        var descriptor: CInt = -1
        guard let easy, streams_curl_get_socket(easy, CurlInfoActiveSocket, &descriptor) == 0 else { return nil }
        return descriptor < 0 ? nil : descriptor
    }

    /// Takes the handle of a connection with TLS, which stays in its multi handle.
    func takeHandle() -> TransportConnection.TLSHandle? {
        guard let handle, let multi = multi.take() else { return nil }
        handle.opening = nil
        self.handle = nil
        abandonSockets()
        return TransportConnection.TLSHandle(handle: handle, multi: multi)
    }

    /// Whether the handle can be removed without waiting for the resolver.
    var isRemovable: Bool { !timing.isResolving }

    /// Stops opening the connection, or ends when it is open.
    func end() {
        isOver = true
    }

    /// Returns the timeout and its time, or `nil` if there is none.
    func deadline(now: MonotonicTime) -> (timeout: HTTPError.Timeout, at: MonotonicTime)? {
        isOver ? nil : timing.deadline(now: now, isPaused: false)
    }

    /// Returns the failure to open the connection.
    ///
    /// - Parameter code: libcurl's result.
    func failure(_ code: CInt) -> TransportFailure {
        guard connecting.shortage != .descriptor else { return .resourceExhausted }
        let text = handle.map { String(cString: $0.errorText) } ?? ""
        return TransportFailure(curl: code, text: text, refusedAddress: connecting.refusedAddress)
    }

    /// Returns the resource that was refused, if the opening can be started again when there is one.
    func takeShortage(now: MonotonicTime) -> CurlConnecting.Shortage? {
        guard connecting.shortage != nil, !isOver else { return nil }
        // A later failure is judged by its own description.
        handle?.errorText.pointee = 0
        let shortage = connecting.takeShortage(now: now)
        if shortage == .descriptor { timing.refusedSocket() }
        return shortage
    }
}

// MARK: Called by libcurl

extension ConnectionOpening {
    /// Begins to look the name up, if that is possible now.
    ///
    /// - Returns: Whether it is.
    func startResolving() -> Bool {
        guard !isOver else { return false }
        timing.beganResolving()
        // Until there is a socket: the lookup under way, or the wait for another one.
        exchange.beginWait(.nameLookup, now: .now)
        guard !connecting.beginLookup() else { return true }
        timing.refusedLookup()
        return false
    }

    /// Opens a socket, unless the opening is over or the address is not allowed. Then libcurl tries the name's next
    /// address.
    ///
    /// - Returns: The descriptor, or `nil`.
    func openSocket(_ address: UnsafeMutableRawPointer) -> CInt? {
        timing.openedSocket()
        guard !isOver, let poller else { return nil }
        let descriptor = connecting.openSocket(address, poller, for: ObjectIdentifier(self))
        // Without one, the wait for a descriptor goes on.
        if descriptor != nil { exchange.endWait() }
        return descriptor
    }

    /// Records that the connection is open.
    ///
    /// - Parameter localPort: The local port of the connection; `nil` if the version does not tell.
    func connected(localPort: CInt? = nil) {
        if let poller { connecting.connected(poller, for: ObjectIdentifier(self), localPort: localPort) }
        timing.connected()
    }
}

extension TransportEvent.Metrics {
    /// Creates the metrics of a connection that a handle has opened, or has failed to open. Takes several calls of libcurl,
    /// so only if metrics are wanted.
    init(measuredBy easy: OpaquePointer) {
        self.init(total: Self.time(CurlInfoTotalTime, of: easy) ?? .zero)
        nameLookup = Self.time(CurlInfoNameLookupTime, of: easy)
        connect = Self.time(CurlInfoConnectTime, of: easy)
        tlsHandshake = Self.time(CurlInfoTLSTime, of: easy)
        remoteAddress = Self.address(of: easy)
        isConnectionReused = remoteAddress == nil ? nil : false
    }

    /// Returns a time, or `nil` if libcurl reports zero because the step did not happen.
    private static func time(_ info: CurlInfo, of easy: OpaquePointer) -> Duration? {
        var microseconds: Int64 = 0
        guard streams_curl_get_offset(easy, info, &microseconds) == 0, microseconds > 0 else { return nil }
        return .microseconds(microseconds)
    }

    private static func address(of easy: OpaquePointer) -> String? {
        var pointer: UnsafeMutableRawPointer?
        guard streams_curl_get_pointer(easy, CurlInfoRemoteAddress, &pointer) == 0, let pointer else { return nil }
        let address = String(cString: pointer.assumingMemoryBound(to: CChar.self))
        guard !address.isEmpty else { return nil }
        var port = 0
        _ = streams_curl_get_long(easy, CurlInfoRemotePort, &port)
        return address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}
#endif
