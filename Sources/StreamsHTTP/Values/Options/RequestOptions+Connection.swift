extension RequestOptions {
    /// The options of connections. Requests with equal options share connections.
    ///
    /// ```swift
    /// configuration.options.connection.pinnedPublicKeys = keys
    /// let request = HTTPRequest(.get, "/export").settingOptions { $0.connection.protocolPolicy = .http2 }
    /// ```
    ///
    /// As all ``RequestOptions``, each is set for itself: the request above keeps the client's keys.
    public struct Connection: OptionGroup, Hashable, Sendable {
        /// The allowed protocol versions.
        public enum ProtocolPolicy: Hashable, Sendable {
            /// HTTP/2 if the server selects it in the TLS handshake (ALPN, RFC 7301), HTTP/1.1 otherwise and in clear
            /// text. HTTP/2 is offered if libcurl uses OpenSSL or a library with its interface. With GnuTLS and others,
            /// requests use HTTP/1.1.
            case automatic
            /// HTTP/1.1 only.
            case http1
            /// HTTP/2 with prior knowledge in clear text (RFC 9113, section 3.3), by a tunnel if there is a proxy;
            /// ``automatic`` over TLS, but an error if HTTP/2 cannot be offered
            /// (``HTTPError/InvalidRequest/unsupportedHTTP2``).
            case http2
        }

        /// The certificate authorities that are trusted to sign a server's certificate.
        public enum TrustRoots: Hashable, Sendable {
            /// The system's certificate authorities: the file that libcurl was built with or, without one, the
            /// directory.
            case system
            /// The authorities in a PEM file, instead of the system's.
            case file(path: String)
            /// Accepts any certificate. The connection is encrypted, but the server is not verified. Insecure.
            case insecureAcceptAny
        }

        /// The proxy between the client and servers.
        public enum Proxy: Hashable, Sendable {
            /// The proxy of the environment: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as they are when
            /// a request is started. `no_proxy` has names, each of which includes its subdomains, addresses, and blocks
            /// of addresses such as `10.0.0.0/8`; or `*` alone for all hosts.
            case environment
            /// No proxy, regardless of the environment.
            case none
            /// A proxy at a URL. The scheme is its protocol: `http`, `https`, `socks4`, `socks4a`, `socks5`, or
            /// `socks5h`, with which the proxy resolves names. The URL's user information is the proxy's credentials.
            /// Excepted hosts are reached without it, as those of `no_proxy`.
            ///
            /// A URL that is empty or malformed, or has control characters, encoded or not, fails the request with
            /// ``HTTPError/InvalidRequest/connectionOption``, and so does such a URL of the environment.
            ///
            /// Only requests with the same URL of the proxy, credentials included, share connections through it.
            case url(String, except: [String] = [])
        }

        /// The certificate that the client presents to a server that requests one. The files are in PEM.
        public struct ClientCertificate: Hashable, Sendable {
            /// The path of the file with the certificate, followed by its certificate chain.
            public var certificatePath: String
            /// The path of the file with the private key.
            public var keyPath: String
            /// The password of the key, if it has one.
            public var password: String?

            /// Creates a client certificate. The files are read when a connection is made.
            public init(certificatePath: String, keyPath: String, password: String? = nil) {
                self.certificatePath = certificatePath
                self.keyPath = keyPath
                self.password = password
            }
        }

        /// A version of TLS.
        public enum TLSVersion: Hashable, Sendable {
            /// TLS 1.0, which is deprecated (RFC 8996). Insecure.
            case tls10
            /// TLS 1.1, which is deprecated (RFC 8996). Insecure.
            case tls11
            /// TLS 1.2 (RFC 5246).
            case tls12
            /// TLS 1.3 (RFC 8446).
            case tls13
        }

        /// The addresses of a name that connections are made to.
        public enum AddressFamily: Hashable, Sendable {
            /// IPv6 and IPv4: the one that connects first (RFC 8305).
            case any
            /// IPv4 only.
            case ipv4
            /// IPv6 only.
            case ipv6
        }

        struct Values: Hashable, Sendable {
            var protocolPolicy = ProtocolPolicy.automatic
            var trustRoots = TrustRoots.system
            var unixSocketPath: String?
            var decodesContent = true
            var proxy = Proxy.environment
            var clientCertificate: ClientCertificate?
            var minimumTLSVersion = TLSVersion.tls12
            var pinnedPublicKeys: Set<String> = []
            var resolve: [String: IPAddress] = [:]
            var addressFamily = AddressFamily.any
            var allowsAddress: AddressRule?

            /// The options that matter to a connection, whichever version of HTTP it speaks.
            var ofConnection: Values {
                var values = self
                (values.protocolPolicy, values.decodesContent) = (.http1, true)
                return values
            }
        }

        var settings = unset

        private static let unset = Settings(Values())

        /// Creates options of which none is set. The defaults suit servers on the internet.
        public init() {}

        /// The allowed protocol versions.
        public var protocolPolicy: ProtocolPolicy {
            get { settings.protocolPolicy }
            set { settings.protocolPolicy = newValue }
        }

        /// The certificate authorities that are trusted to sign a server's certificate.
        public var trustRoots: TrustRoots {
            get { settings.trustRoots }
            set { settings.trustRoots = newValue }
        }

        /// A unix-domain socket to connect to instead of the URL's host and port. A path that is empty, too long for
        /// the system or has a NUL fails the request with ``HTTPError/InvalidRequest/connectionOption``.
        public var unixSocketPath: String? {
            get { settings.unixSocketPath }
            set { settings.unixSocketPath = newValue }
        }

        /// Whether encoded bodies are requested and decoded (RFC 9110, section 8.4). The codings are gzip, deflate, br
        /// and zstd, as far as the system has zlib, libbrotlidec and libzstd; see ``CurlTransport/Runtime/features``.
        /// Two of them can be combined.
        ///
        /// A body is decoded in small pieces as it is requested, so that it takes little memory however far it expands.
        /// One without its coding's end fails with ``HTTPError/Transfer/bodyEndedEarly``, one that cannot be decoded or
        /// has another checksum with ``HTTPError/Transfer/undecodableContent``. Bytes after the end are ignored.
        ///
        /// The response to the program has neither the `Content-Encoding` nor the `Content-Length` of a decoded body.
        /// If the request has a `Range`, codings are not requested, and a part of an encoded body (206) is not decoded.
        public var decodesContent: Bool {
            get { settings.decodesContent }
            set { settings.decodesContent = newValue }
        }

        /// The proxy between the client and servers.
        public var proxy: Proxy {
            get { settings.proxy }
            set { settings.proxy = newValue }
        }

        /// The certificate that the client presents to a server that requests one; `nil` is none.
        public var clientCertificate: ClientCertificate? {
            get { settings.clientCertificate }
            set { settings.clientCertificate = newValue }
        }

        /// The lowest version of TLS that is accepted, of servers and of https proxies; by default TLS 1.2 (RFC 9325,
        /// section 3.1.1).
        public var minimumTLSVersion: TLSVersion {
            get { settings.minimumTLSVersion }
            set { settings.minimumTLSVersion = newValue }
        }

        /// The public keys of which the server's certificate must have one; empty for any. Each is the SHA-256 digest
        /// of the key (SubjectPublicKeyInfo, RFC 7469, section 2.4) in Base64.
        ///
        /// Only the certificate of the server itself is compared, in addition to its verification by ``trustRoots``,
        /// and not that of a proxy. Include the key that will replace the current one: with any other, requests fail
        /// with ``HTTPError/Connection/publicKeyNotPinned``. Requests without TLS are not affected.
        public var pinnedPublicKeys: Set<String> {
            get { settings.pinnedPublicKeys }
            set { settings.pinnedPublicKeys = newValue }
        }

        /// The addresses to connect to instead of looking up a host's name, by name without port. A name that no host
        /// can have fails the request with ``HTTPError/InvalidRequest/connectionOption``. The URL, the `Host` field and
        /// the name that the certificate must have do not change. An HTTP proxy receives a CONNECT to the address.
        public var resolve: [String: IPAddress] {
            get { settings.resolve }
            set { settings.resolve = newValue }
        }

        /// The family of addresses that connections to hosts and proxies are made to; both by default. A host without an
        /// address of the family fails the request with ``HTTPError/Connection/hostNotResolved`` or
        /// ``HTTPError/Connection/refused``.
        public var addressFamily: AddressFamily {
            get { settings.addressFamily }
            set { settings.addressFamily = newValue }
        }

        /// The rule that decides which addresses connections may be made to; `nil` for any.
        public var allowsAddress: AddressRule? {
            get { settings.allowsAddress }
            set { settings.allowsAddress = newValue }
        }

        /// Whether a client certificate, or none, has been assigned.
        var setsClientCertificate: Bool { settings.isSet(\.clientCertificate) }

        /// Returns whether requests with these and with other options can use the same connections, apart from the
        /// version of HTTP.
        func sharesConnections(with other: Connection) -> Bool {
            self == other || settings.values.ofConnection == other.settings.values.ofConnection
        }
    }
}

extension RequestOptions.Connection: CustomReflectable {
    public var customMirror: Mirror { Mirror(options: self) }
}

extension RequestOptions.Connection.Proxy: CustomStringConvertible, CustomReflectable {
    /// The proxy, without the credentials of its URL.
    public var description: String {
        switch self {
        case .environment: "environment"
        case .none: "none"
        case .url(let url, let exceptions): "\(url.withoutTextBeforeHost), except \(exceptions)"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RequestOptions.Connection.ClientCertificate: CustomStringConvertible {
    /// The paths, without the password.
    public var description: String { "\(certificatePath), \(keyPath)" }
}

extension RequestOptions.Connection.ClientCertificate: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, children: ["certificatePath": certificatePath, "keyPath": keyPath])
    }
}

extension RequestOptions.Connection {
    /// A rule that decides which addresses connections may be made to.
    ///
    /// The rule is asked for each address just before a connection to it is made, after the name has been resolved, so
    /// that a name cannot be resolved to another address afterwards. If it refuses all addresses of a name, the request
    /// fails with ``HTTPError/Connection/addressNotAllowed(_:)``; otherwise the allowed addresses are tried. The rule
    /// applies to redirects too. It is not asked for unix-domain sockets, nor when a connection is reused, which only
    /// requests with an equal rule do. If there is a proxy, the rule is asked for the proxy's address only: the proxy
    /// resolves the server's name.
    ///
    /// Requests with different rules share no connections. A rule is equal to its copies alone, so create it once, not
    /// for each request.
    public struct AddressRule: Hashable, Sendable {
        private let closure: Unique<@Sendable (IPAddress) -> Bool>

        var allows: @Sendable (IPAddress) -> Bool { closure.value }

        /// Allows the addresses of the public internet: ``IPAddress/isPublic``. For requests to URLs that others
        /// choose, which must not reach the host itself, its network, or a cloud's metadata service.
        public static let publicOnly = AddressRule { $0.isPublic }

        /// Creates a rule, which is equal only to its copies.
        ///
        /// - Parameter allows: Returns whether a connection to an address may be made. Runs on the transport's thread,
        ///   and must return quickly.
        public init(_ allows: @escaping @Sendable (IPAddress) -> Bool) {
            closure = Unique(allows)
        }
    }
}
