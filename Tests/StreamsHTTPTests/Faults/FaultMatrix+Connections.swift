import StreamsHTTP
import StreamsLoopback

/// Connections that are not established, break or are slow.
extension FaultMatrix {
    static let connectionRows: [FaultRow] = [
        FaultRow(
            "The name of the host does not exist", "connection.host-not-resolved", isRetried: true, exitStatus: 6,
            bound: "RequestOptions/Timeouts/connect", .address("http://name.invalid/")),
        // A port that no server is given by chance.
        FaultRow(
            "The connection is refused", "connection.refused", isRetried: true, exitStatus: 7,
            .address("http://127.0.0.1:1/")),
        FaultRow(
            "The unix-domain socket does not exist", "connection.refused", isRetried: true, exitStatus: 7,
            setting: .missingSocket, .address("http://localhost/")),
        FaultRow(
            "The connection is not accepted", "timeout.connect", isRetried: true, exitStatus: 28,
            bound: "RequestOptions/Timeouts/connect", setting: .connectTimeout, .unaccepting),
        FaultRow(
            "The name has only addresses that are not allowed", "connection.address-not-allowed(127.0.0.1)",
            exitStatus: nil, bound: "RequestOptions/Connection/allowsAddress", setting: .publicAddresses,
            .reply(.text("a"))),
    ]

    static let secureConnectionRows: [FaultRow] = [
        FaultRow(
            "The server does not support TLS", "connection.tls-handshake", isRetried: true, exitStatus: 35,
            .replies([.text("plain")], scheme: "https")),
        FaultRow(
            "The connection closes in the TLS handshake", "connection.tls-handshake", isRetried: true, exitStatus: 35,
            .connection(scheme: "https") { _ = $0.read(100) },
            .connection(scheme: "https") {
                _ = $0.read(100)
                $0.resetOnClose()
            }),
        FaultRow(
            "The server is silent in the TLS handshake", "timeout.connect", isRetried: true, exitStatus: 28,
            bound: "RequestOptions/Timeouts/connect", setting: .connectTimeout,
            .connection(scheme: "https") { _ = $0.read(1 << 20) }),
        FaultRow(
            "The server's version of TLS is too low", "connection.tls-handshake", isRetried: true, exitStatus: 35,
            bound: "RequestOptions/Connection/minimumTLSVersion", .nginx { $0.outdatedURL }),
        FaultRow(
            "The certificate is not signed by a trusted authority", "connection.untrusted-certificate", exitStatus: 60,
            bound: "RequestOptions/Connection/trustRoots", .nginx(trusted: false) { $0.secureURL("/text") }),
        FaultRow(
            "The certificate has expired", "connection.untrusted-certificate", exitStatus: 60,
            bound: "RequestOptions/Connection/trustRoots", .nginx { $0.expiredURL }),
        FaultRow(
            "The certificate is for another host", "connection.untrusted-certificate", exitStatus: 60,
            bound: "RequestOptions/Connection/trustRoots", .nginx { $0.secureURL("/text", host: "127.0.0.1") }),
        FaultRow(
            "The certificate's public key is not pinned", "connection.public-key-not-pinned", exitStatus: nil,
            bound: "RequestOptions/Connection/pinnedPublicKeys", setting: .otherKey, .nginx { $0.secureURL("/text") }),
    ]

    static let proxyRows: [FaultRow] = [
        FaultRow(
            "The name of the proxy does not exist", "connection.proxy-not-resolved", isRetried: true, exitStatus: 5,
            bound: "RequestOptions/Timeouts/connect", .proxyAddress("http://name.invalid:1")),
        FaultRow(
            "The connection to the proxy is refused", "connection.refused", isRetried: true, exitStatus: 7,
            .proxyAddress("http://127.0.0.1:1"), .proxyAddress("socks5h://127.0.0.1:1")),
        FaultRow(
            "The proxy refuses a tunnel", "connection.refused", isRetried: true, exitStatus: 7, needsTunnelState: true,
            tunnel("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"),
            tunnel("HTTP/1.1 502 Bad Gateway\r\n\r\n")),
        FaultRow(
            "The SOCKS proxy refuses the connection", "connection.refused", isRetried: true, exitStatus: 97,
            needsTunnelState: true,
            .proxy(scheme: "socks5h", to: "http://name.invalid/") {
                _ = $0.read(3)
                $0.write([5, 0xFF])
            }),
        FaultRow(
            "The proxy requires credentials for a tunnel", "connection.refused", isRetried: true, exitStatus: 7,
            needsTunnelState: true,
            tunnel(
                "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"a\"\r\n"
                    + "Content-Length: 0\r\n\r\n")),
        FaultRow(
            "The proxy requires credentials for a request without a tunnel", "status(407)", exitStatus: 22,
            .proxy(to: "http://name.invalid/") {
                _ = $0.readRequest()
                $0.write("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            }),
        FaultRow(
            "The proxy closes the connection instead of opening a tunnel", "connection.refused", isRetried: true,
            exitStatus: 7, needsTunnelState: true, tunnel(""), tunnel("HTTP/1.1 2")),
        FaultRow(
            "The proxy's reply is not HTTP", "connection.refused", isRetried: true, exitStatus: 7,
            needsTunnelState: true,
            tunnel("SSH-2.0-OpenSSH_9.2\r\n")),
        FaultRow(
            "The proxy's reply has no end", "connection.refused", isRetried: true, exitStatus: 7,
            bound: "RequestOptions/Timeouts/connect", maxGrowth: growth, needsTunnelState: true,
            .proxy(to: "https://name.invalid/") { $0.writeEndlessly("HTTP/1.1 200 OK\r\n", "X-N: 12345\r\n") }),
        FaultRow(
            "The proxy is silent", "timeout.connect", isRetried: true, exitStatus: 28,
            bound: "RequestOptions/Timeouts/connect",
            setting: .connectTimeout, needsTunnelState: true,
            .proxy(to: "https://name.invalid/") { _ = $0.read(1 << 20) },
            .proxy(scheme: "socks5h", to: "http://name.invalid/") { _ = $0.read(1 << 20) }),
    ]

    /// The number of bytes by which the process may grow with an endless reply.
    static let growth = 20 << 20

    /// A proxy that answers the request for a tunnel with a text, and closes the connection.
    private static func tunnel(_ reply: String) -> FaultPeer {
        .proxy(to: "https://name.invalid/") {
            _ = $0.readHead()
            $0.write(reply)
        }
    }

    static let brokenConnectionRows: [FaultRow] = [
        FaultRow(
            "The connection closes before the response", "transfer.empty-reply", isRetried: true, exitStatus: 52,
            .reply(.generated(1000).failing(with: .close(at: .beforeHead)))),
        FaultRow(
            "The connection is reset before the response", "transfer.receive-failed", isRetried: true, exitStatus: 56,
            .reply(.generated(1000).failing(with: .reset(at: .beforeHead)))),
        FaultRow(
            "The connection breaks in the head", "transfer.receive-failed", isRetried: true, exitStatus: 56,
            .reply(.generated(1000).failing(with: .close(at: .inHead(after: 20)))),
            .reply(.generated(1000).failing(with: .reset(at: .inHead(after: 20))))),
        FaultRow(
            "The connection closes in a body of known length or in chunks", "transfer.body-ended-early",
            isRetried: true, exitStatus: 18, .reply(.generated(1000).failing(with: .close(at: .inBody(after: 500)))),
            .reply(.generated(1000, framing: .chunked).failing(with: .close(at: .inBody(after: 500)))),
            .reply(.generated(1000, framing: .chunked).failing(with: .close(at: .inBody(after: 1000))))),
        FaultRow(
            "The connection closes in a body that ends with the connection", nil, exitStatus: 0,
            .reply(.generated(1000, framing: .untilClose).failing(with: .close(at: .inBody(after: 500))))),
        FaultRow(
            "The connection is reset in the body", "transfer.receive-failed", isRetried: true, exitStatus: 56,
            .reply(.generated(1000).failing(with: .reset(at: .inBody(after: 500)))),
            .reply(.generated(1000, framing: .chunked).failing(with: .reset(at: .inBody(after: 500)))),
            .reply(.generated(1000, framing: .untilClose).failing(with: .reset(at: .inBody(after: 500))))),
        FaultRow(
            "A reused connection breaks before the response to a GET", nil, exitStatus: 0,
            .breakingWhenReused(next: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
            .breakingWhenReused(next: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", isReset: true)),
        FaultRow(
            "The next connection breaks too", "transfer.empty-reply", isRetried: true, exitStatus: 52,
            .breakingWhenReused()),
        // With a body: libcurl 8 may find out that it has sent an empty one after the redirect has arrived. Then it
        // does not reuse the connection.
        FaultRow(
            "A reused connection breaks before the response to a POST", "transfer.reused-connection-lost",
            exitStatus: 52, method: .post, bodySize: 1, .breakingWhenReused(), .breakingWhenReused(isReset: true)),
    ]

    static let slowRows: [FaultRow] = [
        FaultRow(
            "The server is silent", "timeout.idle", isRetried: true, exitStatus: 28,
            bound: "RequestOptions/Timeouts/idle",
            setting: .idleTimeout, .reply(.generated(1000).failing(with: .stall(at: .beforeHead))),
            .reply(.generated(1000).failing(with: .stall(at: .inHead(after: 10)))),
            .reply(.generated(1000).failing(with: .stall(at: .inBody(after: 10)))),
            .reply(.generated(1000, framing: .chunked).failing(with: .stall(at: .inBody(after: 1000))))),
        FaultRow(
            "The server does not read the request's body", "timeout.idle", isRetried: true, exitStatus: 28,
            bound: "RequestOptions/Timeouts/idle", setting: .idleTimeout, method: .put, bodySize: 16 << 20, .unreading),
        FaultRow(
            "The server reads the request's body slowly", "timeout.minimum-rate", isRetried: true, exitStatus: nil,
            bound: "RequestOptions/Timeouts/minimumRate-swift.property", setting: .minimumRate, method: .put,
            bodySize: 16 << 20,
            .unreading),
        FaultRow(
            "The body is slow", "timeout.minimum-rate", isRetried: true, exitStatus: nil,
            bound: "RequestOptions/Timeouts/minimumRate-swift.property", setting: .minimumRate,
            .reply(.generated(1 << 20).failing(with: drip(from: .inBody(after: 10)))),
            .reply(.generated(1 << 20, framing: .chunked).failing(with: drip(from: .inBody(after: 10))))),
        FaultRow(
            "The response takes too long", "timeout.total", exitStatus: 28, bound: "RequestOptions/Timeouts/total",
            setting: .totalTimeout, .reply(.generated(1000).failing(with: .stall(at: .beforeHead))),
            .reply(.generated(1 << 20).failing(with: drip(from: .beforeHead))),
            .reply(.generated(1 << 20).failing(with: drip(from: .inBody(after: 10))))),
    ]

    static func drip(from place: Fault.Place) -> Fault {
        .drip(from: place, bytes: 1, every: .milliseconds(20))
    }
}
