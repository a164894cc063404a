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

    /// What stands between the client and servers.
    public enum Proxy: Hashable, Sendable {
        /// What the environment says: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. Whether it says anything is
        /// looked up now and then, not for each request.
        case environment
        /// Nothing, whatever the environment says.
        case none
        /// A proxy at a URL whose scheme says what it speaks: `http`, `https`, `socks4`, `socks4a`, `socks5`, or
        /// `socks5h`, which leaves names for the proxy to resolve. Its user information are its credentials. Hosts may
        /// be excepted: names, of which each stands for those below it too, or addresses.
        case url(String, except: [String] = [])
    }

    /// What the client shows a server that asks for a certificate. The files are in PEM.
    public struct ClientCertificate: Hashable, Sendable {
        /// The path of the file with the certificate, and those that vouch for it behind.
        public var certificatePath: String
        /// The path of the file with the private key.
        public var keyPath: String
        /// The password of the key, where it has one.
        public var password: String?

        /// The files are read when a connection is made.
        public init(certificatePath: String, keyPath: String, password: String? = nil) {
            self.certificatePath = certificatePath
            self.keyPath = keyPath
            self.password = password
        }
    }

    private struct Fields: Hashable, Sendable {
        var protocolPolicy: ProtocolPolicy
        var trustRoots: TrustRoots
        var unixSocketPath: String?
        var decodesContent: Bool
        var proxy: Proxy
        var clientCertificate: ClientCertificate?
    }

    // Each request under way has the options in several places, and most requests have the same.
    private var box: Box<Fields>

    /// The defaults suit servers on the internet; the properties say what each option means.
    public init(
        protocolPolicy: ProtocolPolicy = .automatic, trustRoots: TrustRoots = .system, unixSocketPath: String? = nil,
        decodesContent: Bool = true, proxy: Proxy = .environment, clientCertificate: ClientCertificate? = nil
    ) {
        box = Box(
            Fields(
                protocolPolicy: protocolPolicy, trustRoots: trustRoots, unixSocketPath: unixSocketPath,
                decodesContent: decodesContent, proxy: proxy, clientCertificate: clientCertificate))
    }

    private var fields: Fields {
        get { box.value }
        set { box = Box(newValue) }
    }

    /// Which protocol versions are spoken.
    public var protocolPolicy: ProtocolPolicy {
        get { box.value.protocolPolicy }
        set { fields.protocolPolicy = newValue }
    }

    /// Whom a server's certificate must be vouched for by.
    public var trustRoots: TrustRoots {
        get { box.value.trustRoots }
        set { fields.trustRoots = newValue }
    }

    /// A unix-domain socket to connect to instead of the URL's host and port.
    public var unixSocketPath: String? {
        get { box.value.unixSocketPath }
        set { fields.unixSocketPath = newValue }
    }

    /// Whether encoded bodies are asked for and decoded: gzip and deflate, and where the body is collected and may be no
    /// larger than 64 MiB also br and zstd, as libcurl has them. Of those one read may inflate to any size, which nobody
    /// could hold back for a subscriber that takes its time.
    public var decodesContent: Bool {
        get { box.value.decodesContent }
        set { fields.decodesContent = newValue }
    }

    /// What stands between the client and servers.
    public var proxy: Proxy {
        get { box.value.proxy }
        set { fields.proxy = newValue }
    }

    /// What the client shows a server that asks for a certificate; `nil` is nothing.
    public var clientCertificate: ClientCertificate? {
        get { box.value.clientCertificate }
        set { fields.clientCertificate = newValue }
    }

    public static func == (left: ConnectionOptions, right: ConnectionOptions) -> Bool {
        left.box === right.box || left.box.value == right.box.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(box.value)
    }
}

extension ConnectionOptions: CustomReflectable {
    public var customMirror: Mirror { Mirror(reflecting: box.value) }
}

extension ConnectionOptions.ClientCertificate: CustomStringConvertible {
    /// The paths, without the password.
    public var description: String { "\(certificatePath), \(keyPath)" }
}

extension ConnectionOptions.ClientCertificate: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, children: ["certificatePath": certificatePath, "keyPath": keyPath])
    }
}
