/// The credentials of a request, as a digest that tells nothing about them without the secret of the store.
///
/// A response that a request with credentials received is used for requests with the same credentials alone.
struct CacheIdentity: Sendable {
    /// The length of a digest in bytes.
    static let digestSize = SHA2.Algorithm.sha256.digestSize

    /// The digest.
    let digest: [UInt8]
    /// Whether the credentials are cookies alone; `false` in an identity that was stored.
    let isOfCookies: Bool

    /// Creates an identity from a digest that was stored; `nil` for any other number of bytes.
    init?(digest: some Collection<UInt8>) {
        guard digest.count == Self.digestSize else { return nil }
        self.digest = Array(digest)
        isOfCookies = false
    }

    /// Creates the identity of a request: a digest of the sensitive fields and the client certificate.
    ///
    /// - Parameter secret: The secret of the store.
    /// - Returns: `nil` for a request without credentials.
    init?(of request: TransportRequest, secret: [UInt8]) {
        let certificate = request.connection.clientCertificate
        // Sorted, since fields of different names have no order (RFC 9110, section 5.3).
        let fields = request.headers.filter(\.isSensitive).map { (name: $0.name.lowercased(), text: $0.text) }
            .enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
        guard certificate != nil || !fields.isEmpty else { return nil }
        var message = DigestWriter(key: secret)
        for field in fields {
            message.append(field.name.utf8)
            message.append(field.text.bytes)
        }
        if let certificate {
            message.append("client certificate".utf8)
            message.append(certificate.certificatePath.utf8)
            message.append(certificate.keyPath.utf8)
        }
        digest = message.digest()
        isOfCookies = certificate == nil && fields.allSatisfy { $0.name == "cookie" }
    }
}

extension CacheIdentity: Hashable {
    /// Returns whether the credentials are the same.
    static func == (left: CacheIdentity, right: CacheIdentity) -> Bool { left.digest == right.digest }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
