import StreamsHTTP

/// The addresses of a ``HostileServer``.
struct HostileAddresses: Codable, Sendable {
    /// The port of clear text.
    let port: Int
    /// The beginning of URLs with TLS; `nil` without it.
    let secure: HostileAddress?
    /// The addresses of the matrix's faults, in their order; `nil` for those that need TLS without it.
    let faults: [HostileAddress?]

    /// Returns a request for a path.
    ///
    /// - Parameters:
    ///   - isSecure: Whether the request is sent over TLS, if the server has it.
    ///   - isBuffered: Whether the proxy that adds TLS collects parts of the response before it sends them.
    func request(
        _ method: HTTPMethod, _ path: String, body: HTTPBody = .empty, isSecure: Bool, isBuffered: Bool = false
    ) -> HTTPRequest {
        guard isSecure, let secure else {
            return HTTPRequest(method, "http://127.0.0.1:\(port)\(path)", body: body)
        }
        let location = isBuffered ? "/proxy" : "/unbuffered"
        return HTTPRequest(
            method, "\(secure.url)\(location)\(path)?port=\(port)", body: body, options: secure.peer.options(.usual))
    }
}

/// The address of a server, and what a client needs to reach it.
struct HostileAddress: Codable, Sendable {
    let url: String
    private let proxy: String?
    private let trustFile: String?

    init(_ peer: StartedPeer) {
        (url, proxy, trustFile) = (peer.url, peer.proxy, peer.trustFile)
    }

    /// The server as a peer of this process, which does not run it.
    var peer: StartedPeer { StartedPeer(url: url, proxy: proxy, trustFile: trustFile) }
}
