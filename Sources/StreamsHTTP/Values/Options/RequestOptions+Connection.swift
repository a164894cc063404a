extension RequestOptions {
    /// The options of connections. Requests with equal options share connections.
    ///
    /// ```swift
    /// configuration.options.connection.pinnedPublicKeys = keys
    /// let request = HTTPRequest(.get, "/export").settingOptions { $0.connection.protocolPolicy = .http2 }
    /// ```
    ///
    /// As all ``RequestOptions``, each is set for itself: the request above keeps the client's keys.
    public struct Connection: Hashable, Sendable {
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

        private struct Fields: Hashable, Sendable {
            var protocolPolicy = Setting(ProtocolPolicy.automatic)
            var trustRoots = Setting(TrustRoots.system)
            var unixSocketPath = Setting<String?>(nil)
            var decodesContent = Setting(true)
            var proxy = Setting(Proxy.environment)
            var clientCertificate = Setting<ClientCertificate?>(nil)
            var minimumTLSVersion = Setting(TLSVersion.tls12)
            var pinnedPublicKeys = Setting<Set<String>>([])
            var resolve = Setting<[String: IPAddress]>([:])
            var addressFamily = Setting(AddressFamily.any)
            var allowsAddress = Setting<AddressRule?>(nil)

            func merging(defaults: Fields) -> Fields {
                var merged = self
                merged.protocolPolicy = protocolPolicy.or(defaults.protocolPolicy)
                merged.trustRoots = trustRoots.or(defaults.trustRoots)
                merged.unixSocketPath = unixSocketPath.or(defaults.unixSocketPath)
                merged.decodesContent = decodesContent.or(defaults.decodesContent)
                merged.proxy = proxy.or(defaults.proxy)
                merged.clientCertificate = clientCertificate.or(defaults.clientCertificate)
                merged.minimumTLSVersion = minimumTLSVersion.or(defaults.minimumTLSVersion)
                merged.pinnedPublicKeys = pinnedPublicKeys.or(defaults.pinnedPublicKeys)
                merged.resolve = resolve.or(defaults.resolve)
                merged.addressFamily = addressFamily.or(defaults.addressFamily)
                merged.allowsAddress = allowsAddress.or(defaults.allowsAddress)
                return merged
            }

            /// The options that matter to a connection, whichever version of HTTP it speaks.
            var ofConnection: Fields {
                var fields = self
                (fields.protocolPolicy.value, fields.decodesContent.value) = (.http1, true)
                return fields
            }
        }

        // Several objects of each request under way hold the options, and most requests have the same.
        private var box: Box<Fields>

        private static let unset = Box(Fields())

        /// Creates options of which none is set. The defaults suit servers on the internet.
        public init() {
            box = Self.unset
        }

        private var fields: Fields {
            get { box.value }
            set { box = Box(newValue) }
        }

        /// The allowed protocol versions.
        public var protocolPolicy: ProtocolPolicy {
            get { box.value.protocolPolicy.value }
            set { fields.protocolPolicy.value = newValue }
        }

        /// The certificate authorities that are trusted to sign a server's certificate.
        public var trustRoots: TrustRoots {
            get { box.value.trustRoots.value }
            set { fields.trustRoots.value = newValue }
        }

        /// A unix-domain socket to connect to instead of the URL's host and port. A path that is empty, too long for
        /// the system or has a NUL fails the request with ``HTTPError/InvalidRequest/connectionOption``.
        public var unixSocketPath: String? {
            get { box.value.unixSocketPath.value }
            set { fields.unixSocketPath.value = newValue }
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
            get { box.value.decodesContent.value }
            set { fields.decodesContent.value = newValue }
        }

        /// The proxy between the client and servers.
        public var proxy: Proxy {
            get { box.value.proxy.value }
            set { fields.proxy.value = newValue }
        }

        /// The certificate that the client presents to a server that requests one; `nil` is none.
        public var clientCertificate: ClientCertificate? {
            get { box.value.clientCertificate.value }
            set { fields.clientCertificate.value = newValue }
        }

        /// The lowest version of TLS that is accepted, of servers and of https proxies; by default TLS 1.2 (RFC 9325,
        /// section 3.1.1).
        public var minimumTLSVersion: TLSVersion {
            get { box.value.minimumTLSVersion.value }
            set { fields.minimumTLSVersion.value = newValue }
        }

        /// The public keys of which the server's certificate must have one; empty for any. Each is the SHA-256 digest
        /// of the key (SubjectPublicKeyInfo, RFC 7469, section 2.4) in Base64.
        ///
        /// Only the certificate of the server itself is compared, in addition to its verification by ``trustRoots``,
        /// and not that of a proxy. Include the key that will replace the current one: with any other, requests fail
        /// with ``HTTPError/Connection/publicKeyNotPinned``. Requests without TLS are not affected.
        public var pinnedPublicKeys: Set<String> {
            get { box.value.pinnedPublicKeys.value }
            set { fields.pinnedPublicKeys.value = newValue }
        }

        /// The addresses to connect to instead of looking up a host's name, by name without port. A name that no host
        /// can have fails the request with ``HTTPError/InvalidRequest/connectionOption``. The URL, the `Host` field and
        /// the name that the certificate must have do not change. An HTTP proxy receives a CONNECT to the address.
        public var resolve: [String: IPAddress] {
            get { box.value.resolve.value }
            set { fields.resolve.value = newValue }
        }

        /// The family of addresses that connections to hosts and proxies are made to; both by default. A host without an
        /// address of the family fails the request with ``HTTPError/Connection/hostNotResolved`` or
        /// ``HTTPError/Connection/refused``.
        public var addressFamily: AddressFamily {
            get { box.value.addressFamily.value }
            set { fields.addressFamily.value = newValue }
        }

        /// The rule that decides which addresses connections may be made to; `nil` for any.
        public var allowsAddress: AddressRule? {
            get { box.value.allowsAddress.value }
            set { fields.allowsAddress.value = newValue }
        }

        /// Whether a client certificate, or none, has been assigned.
        var setsClientCertificate: Bool { box.value.clientCertificate.isSet }

        /// Returns these options, with those that are not set taken from others.
        func merging(defaults: Connection) -> Connection {
            if box === Self.unset { return defaults }
            if defaults.box === Self.unset { return self }
            var merged = self
            merged.box = Box(box.value.merging(defaults: defaults.box.value))
            return merged
        }

        /// Returns whether requests with these and with other options can use the same connections, apart from the
        /// version of HTTP.
        func sharesConnections(with other: Connection) -> Bool {
            box === other.box || box.value.ofConnection == other.box.value.ofConnection
        }

        public static func == (left: Connection, right: Connection) -> Bool {
            left.box === right.box || left.box.value == right.box.value
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(box.value)
        }
    }
}

extension RequestOptions.Connection: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, settings: box.value) }
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
