#if canImport(CLibcurl)
import CLibcurl

/// An easy handle, and the transfer that uses it.
///
/// libcurl's callbacks receive the handle rather than the transfer, so that they are set once for all of its transfers.
final class CurlHandle {
    let easy: OpaquePointer
    let key: HandleKey
    /// libcurl's description of a failure, a C string.
    let errorText: UnsafeMutablePointer<CChar>
    /// What the handle shares with others.
    private let share: CurlShare
    /// The overrides of names' addresses, to which libcurl refers.
    private var connectTo: UnsafeMutablePointer<CurlList>?
    /// The offer of HTTP/2; `nil` if there is none.
    private let negotiation: ProtocolNegotiation?
    /// The current transfer. It detaches itself when it ends.
    @exclusivity(unchecked) var transfer: CurlTransfer?

    /// Creates a handle that is ready for all requests with the same key. They may reuse connections, and keep theirs
    /// for other requests, if `reusesConnections` is set.
    init(
        _ key: HandleKey, _ poller: SocketPoller, _ share: CurlShare, _ transport: CurlTransport.Configuration,
        reusesConnections: Bool
    ) throws(TransportFailure) {
        guard let easy = curl_easy_init() else { throw TransportFailure(system: ENOMEM) }
        self.easy = easy
        self.key = key
        errorText = .allocate(capacity: 256)
        negotiation = key.offersHTTP2 ? ProtocolNegotiation(hasTLSProxy: key.hasTLSProxy) : nil
        // The last property, so that an error from here on deinitialises the handle.
        self.share = share
        errorText.pointee = 0
        for override in try Self.overrides(key.connection.resolve) {
            // Without it, requests would go to another address.
            guard let list = curl_slist_append(connectTo, override) else { throw TransportFailure(system: ENOMEM) }
            connectTo = list
        }
        try poller.trackSockets(of: easy)
        try setCallbacks()
        try setOptions(transport, reusesConnections: reusesConnections)
        if let connectTo { try set(CurlOptionConnectTo, connectTo) }
        try negotiation?.offer(by: easy)
        try set(CurlOptionShare, UnsafeMutableRawPointer(share.pointer))
    }

    /// The protocol that the server of the last connection has selected.
    var negotiatedProtocol: NegotiatedProtocol { negotiation?.selected ?? .none }

    /// Returns libcurl's description of the last failure, and removes it.
    func takeErrorText() -> String {
        defer { errorText.pointee = 0 }
        return String(cString: errorText)
    }

    /// Returns the overrides of names' addresses as libcurl reads them.
    ///
    /// libcurl compares them when it looks for a connection, and does not keep them. Its other way, to put an address
    /// for a name into its cache, would affect all requests.
    private static func overrides(_ resolve: [String: IPAddress]) throws(TransportFailure) -> [String] {
        var overrides: [String] = []
        for (name, address) in resolve {
            do throws(HTTPError.Reason) {
                // The form in which URLs have names. An empty name would stand for all.
                guard let host = try URLAuthority.name(name[...]), host.utf8.allAre(ASCIISet.plainHost.contains) else {
                    throw .invalidRequest(.connectionOption("no host is named \(name.debugDescription)"))
                }
                overrides.append(address.isIPv6 ? "\(host)::[\(address)]:" : "\(host)::\(address):")
            } catch {
                throw TransportFailure(error)
            }
        }
        return overrides
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(connectTo)
        errorText.deallocate()
    }

    /// Returns the transfer that uses an easy handle.
    static func transfer(of easy: OpaquePointer) -> CurlTransfer? {
        var context: UnsafeMutableRawPointer?
        guard streams_curl_get_pointer(easy, CurlInfoPrivate, &context) == 0, let context else { return nil }
        return transfer(from: context)
    }

    fileprivate static func transfer(from context: UnsafeMutableRawPointer) -> CurlTransfer? {
        Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue().transfer
    }

    /// Reads the protocol that the server has selected. libcurl tells it only while a callback runs.
    fileprivate static func readNegotiation(from context: UnsafeMutableRawPointer) {
        let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
        handle.negotiation?.read(from: handle.easy)
    }
}

extension CurlHandle {
    // Callbacks copy bytes and set flags. Events are delivered after libcurl has returned.
    // Safe because it is never changed.
    nonisolated(unsafe) static var callbacks = CurlCallbacks(
        header: { bytes, size, count, context in
            guard let bytes, let context, let transfer = CurlHandle.transfer(from: context) else { return 0 }
            return transfer.readHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
        },
        write: { bytes, size, count, context in
            guard let bytes, let context, let transfer = CurlHandle.transfer(from: context) else { return 0 }
            return transfer.readBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        },
        read: { buffer, size, count, context in
            guard let buffer, let context, let transfer = CurlHandle.transfer(from: context) else {
                return CurlReadAbort
            }
            return transfer.writeBody(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        },
        seek: { context, offset, origin in
            guard let context, let transfer = CurlHandle.transfer(from: context), offset == 0, origin == SEEK_SET else {
                return CInt(CurlSeekImpossible)
            }
            return CInt(transfer.rewindBody() ? CurlSeekDone : CurlSeekImpossible)
        },
        resolve: { _, _, context in
            guard let context, let transfer = CurlHandle.transfer(from: context) else { return 1 }
            return transfer.startResolving()
        },
        open_socket: { context, _, address in
            guard let context, let address, let transfer = CurlHandle.transfer(from: context) else {
                return CInt(CurlBadSocket)
            }
            return transfer.openSocket(address)
        },
        connected: { context, _, _, _, localPort in
            guard let context, let transfer = CurlHandle.transfer(from: context) else { return 1 }
            CurlHandle.readNegotiation(from: context)
            return transfer.connected(localPort: localPort) ? 0 : 1
        },
        progress: { context, _, _, _, _ in
            guard let context, let transfer = CurlHandle.transfer(from: context) else { return 1 }
            CurlHandle.readNegotiation(from: context)
            return transfer.noticeProgress() ? 0 : 1
        }
    )
}
#endif
