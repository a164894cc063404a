/// How connections are made. Requests whose options are equal share connections.
public struct ConnectionOptions: Hashable, Sendable {
    /// Which protocol versions are spoken.
    public enum ProtocolPolicy: Hashable, Sendable {
        /// HTTP/2 where TLS negotiates it, HTTP/1.1 otherwise, and for bodies that are delivered in chunks: a chunk
        /// that nobody asks for leaves an HTTP/1.1 connection full, so that the server waits, while an HTTP/2
        /// connection must be read on for the sake of its other streams.
        case automatic
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2: negotiated over TLS, spoken at once over clear text (RFC 9113, section 3.3). Up to 32 MiB of a body
        /// that nobody asks for may be held in memory.
        case http2
    }

    /// Whom a server's certificate must be vouched for by.
    public enum TrustRoots: Hashable, Sendable {
        /// The system's certificate authorities.
        case system
        /// The authorities in a PEM file, instead of the system's.
        case file(path: String)
        /// Anyone. The connection is encrypted, but not to anyone in particular.
        case anyone
    }

    public var protocolPolicy: ProtocolPolicy
    public var trustRoots: TrustRoots
    /// A unix-domain socket to connect to instead of the URL's host and port.
    public var unixSocketPath: String?
    /// Whether encoded bodies (gzip, deflate, br, zstd, as libcurl has them) are asked for and decoded.
    public var decodesContent: Bool

    public init(
        protocolPolicy: ProtocolPolicy = .automatic, trustRoots: TrustRoots = .system, unixSocketPath: String? = nil,
        decodesContent: Bool = true
    ) {
        self.protocolPolicy = protocolPolicy
        self.trustRoots = trustRoots
        self.unixSocketPath = unixSocketPath
        self.decodesContent = decodesContent
    }
}
