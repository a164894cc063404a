extension HTTPError {
    /// A kind of ``Reason/connection(_:)``: the reason that no connection could be established, or
    /// that a policy of the client allowed none.
    public struct Connection: Hashable, Sendable {
        package enum Code: String, CaseIterable, Sendable {
            case proxyNotResolved = "connection.proxy-not-resolved"
            case hostNotResolved = "connection.host-not-resolved"
            case addressNotAllowed = "connection.address-not-allowed"
            case refused = "connection.refused"
            case tlsHandshake = "connection.tls-handshake"
            case untrustedCertificate = "connection.untrusted-certificate"
            case publicKeyNotPinned = "connection.public-key-not-pinned"
            case trustRoots = "connection.trust-roots"
            case resourceExhausted = "connection.resource-exhausted"
            case circuitOpen = "connection.circuit-open"
            case rateLimited = "connection.rate-limited"
        }

        package let detail: FailureDetail
        package let code: Code

        package init(_ code: Code, _ detail: FailureDetail = .none) {
            self.code = code
            self.detail = detail
        }

        /// The stable name, such as `connection.refused`.
        public var name: String { code.rawValue }
        /// The address of ``addressNotAllowed(_:)``; `nil` for other kinds.
        public var address: IPAddress? { detail.address }
        /// The time until another attempt may be sent, of ``circuitOpen(retryAfter:)`` and
        /// ``rateLimited(retryAfter:)``; `nil` for other kinds, and if it is unknown.
        public var retryAfter: Duration? { detail.duration }

        /// Returns whether a kind matches a pattern: it is the same kind, with the same address if the pattern has one.
        public static func ~= (pattern: Connection, connection: Connection) -> Bool {
            pattern.code == connection.code && pattern.detail.matches(connection.detail)
        }
    }
}

extension HTTPError.Connection {
    /// The proxy's name could not be resolved.
    public static let proxyNotResolved = Self(.proxyNotResolved)

    /// The host's name could not be resolved.
    public static let hostNotResolved = Self(.hostNotResolved)

    /// ``RequestOptions/Connection/allowsAddress`` allows no address of the name.
    public static let addressNotAllowed = Self(.addressNotAllowed)

    /// ``addressNotAllowed``, with the last address that was refused.
    public static func addressNotAllowed(_ address: IPAddress) -> Self { Self(.addressNotAllowed, .address(address)) }

    /// The connection or the proxy's tunnel was refused, the address is unreachable, or the socket does not exist.
    public static let refused = Self(.refused)

    /// The TLS handshake failed, or the client's certificate could not be used.
    public static let tlsHandshake = Self(.tlsHandshake)

    /// The server's certificate is untrusted, expired, or issued for another host.
    public static let untrustedCertificate = Self(.untrustedCertificate)

    /// The public key of the server's certificate is not one of ``RequestOptions/Connection/pinnedPublicKeys``.
    public static let publicKeyNotPinned = Self(.publicKeyNotPinned)

    /// The file of trusted certificate authorities cannot be used.
    public static let trustRoots = Self(.trustRoots)

    /// The process or the system has no file descriptor or memory left for a connection. Nothing was sent.
    public static let resourceExhausted = Self(.resourceExhausted)

    /// The origin's circuit is open, or half-open with as many probes as are allowed
    /// (``HTTPClient/Limits/circuitBreaker``). Nothing was sent.
    public static let circuitOpen = Self(.circuitOpen)

    /// ``circuitOpen``, with the time until the next probe; `nil` if that depends on a probe under way.
    public static func circuitOpen(retryAfter delay: Duration?) -> Self {
        Self(.circuitOpen, delay.map { .duration($0) } ?? .none)
    }

    /// A permit of ``HTTPClient/Limits/rateLimit`` would have come after ``RateLimit/maxWait``. Nothing was
    /// sent.
    public static let rateLimited = Self(.rateLimited)

    /// ``rateLimited``, with the time until the permit would have come.
    public static func rateLimited(retryAfter delay: Duration) -> Self { Self(.rateLimited, .duration(delay)) }
}

extension HTTPError.Connection {
    /// Whether another attempt may succeed, by the default rule of a ``RetryPolicy``.
    var isTransient: Bool {
        switch code {
        case .proxyNotResolved, .hostNotResolved, .refused, .tlsHandshake, .resourceExhausted, .circuitOpen,
            .rateLimited:
            true
        case .addressNotAllowed, .untrustedCertificate, .publicKeyNotPinned, .trustRoots: false
        }
    }
}

extension HTTPError.Connection: CustomStringConvertible {
    /// A description of the kind.
    public var description: String {
        switch code {
        case .proxyNotResolved: "the proxy's name could not be resolved"
        case .hostNotResolved: "the host's name could not be resolved"
        case .addressNotAllowed:
            address.map { "connections to the address \($0) are not allowed" } ?? "the address is not allowed"
        case .refused: "could not connect"
        case .tlsHandshake: "the TLS handshake failed"
        case .untrustedCertificate: "the server's certificate is not trusted"
        case .publicKeyNotPinned: "the server's public key is not pinned"
        case .trustRoots: "the file of trusted certificates cannot be used"
        case .resourceExhausted: "no file descriptor or memory is left for a connection"
        case .circuitOpen: "the server's circuit is open\(retryText)"
        case .rateLimited: "the rate limit allows no request in time\(retryText)"
        }
    }
    private var retryText: String { retryAfter.map { "; the next may be sent after \($0)" } ?? "" }
}
