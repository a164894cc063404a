#if canImport(CLibcurl)
import CLibcurl

/// An easy handle, and the opening that uses it.
///
/// libcurl's callbacks receive the handle rather than the opening, so that they are set once for all of its openings.
final class CurlHandle {
    let easy: OpaquePointer
    let key: HandleKey
    /// libcurl's description of a failure, a C string.
    let errorText: UnsafeMutablePointer<CChar>
    /// The data that the handle shares with other handles.
    private let share: CurlShare
    /// The overrides of names' addresses, to which libcurl refers.
    private var connectTo: UnsafeMutablePointer<CurlList>?
    /// The offer of HTTP/2; `nil` if there is none.
    private let negotiation: ProtocolNegotiation?
    /// The current opening. It detaches itself when it ends.
    @exclusivity(unchecked) var opening: ConnectionOpening?

    /// Creates a handle that is ready for all openings with the same key.
    init(
        _ key: HandleKey, _ share: CurlShare, _ transport: CurlTransport.Configuration
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
        try setCallbacks()
        try setOptions(transport)
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

    /// Returns the opening that uses an easy handle.
    static func opening(of easy: OpaquePointer) -> ConnectionOpening? {
        var context: UnsafeMutableRawPointer?
        guard streams_curl_get_pointer(easy, CurlInfoPrivate, &context) == 0, let context else { return nil }
        return opening(from: context)
    }

    fileprivate static func opening(from context: UnsafeMutableRawPointer) -> ConnectionOpening? {
        Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue().opening
    }

    /// Reads the protocol that the server has selected. libcurl tells it only while a callback runs.
    fileprivate static func readNegotiation(from context: UnsafeMutableRawPointer) {
        let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
        handle.negotiation?.read(from: handle.easy)
    }
}

extension CurlHandle {
    // Safe because it is never changed.
    nonisolated(unsafe) static var callbacks = CurlCallbacks(
        resolve: { _, _, context in
            guard let context, let opening = CurlHandle.opening(from: context) else { return 1 }
            return opening.startResolving() ? 0 : 1
        },
        open_socket: { context, _, address in
            guard let context, let address, let opening = CurlHandle.opening(from: context) else {
                return CInt(CurlBadSocket)
            }
            return opening.openSocket(address) ?? CInt(CurlBadSocket)
        },
        connected: { context, _, _, _, localPort in
            guard let context, let opening = CurlHandle.opening(from: context) else { return 1 }
            CurlHandle.readNegotiation(from: context)
            opening.connected(localPort: localPort)
            return 0
        },
        progress: { context, _, _, _, _ in
            guard let context, CurlHandle.opening(from: context) != nil else { return 1 }
            CurlHandle.readNegotiation(from: context)
            return 0
        }
    )
}
#endif
