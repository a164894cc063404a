/// The key of a record of the cache: a SHA-256 digest.
struct CacheKey: Hashable, Sendable {
    /// The length of a key in bytes.
    static let size = SHA2.Algorithm.sha256.digestSize

    /// The version of the keys and of the format of records. Another one makes all that was stored unreachable.
    static let formatVersion: UInt8 = 2

    let bytes: [UInt8]

    /// Creates a key from its bytes; `nil` for any other number of bytes.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    private init(_ message: DigestWriter) {
        bytes = message.digest()
    }

    /// Creates the key of the first record for a URL, whose fragment does not count.
    ///
    /// The options that decide which server answers are part of the key, and so is whether the body is decoded: the
    /// socket, the address of the host, and the trust in the server's certificate.
    init(url: LazyURL, connection: RequestOptions.Connection) {
        self.init(url: url, connection: connection, decodesContent: connection.decodesContent)
    }

    /// Creates the key of the first record for a URL, of decoded bodies or of others.
    init(url: LazyURL, connection: RequestOptions.Connection, decodesContent: Bool) {
        var message = DigestWriter()
        message.append(UInt64(Self.formatVersion))
        message.append(url.origin.utf8)
        // An empty path is that of the root (RFC 9110, section 4.2.3).
        let target = url.pathAndQuery
        message.append((target.utf8.first == UInt8(ascii: "/") ? target : "/" + target).utf8)
        message.append(decodesContent ? 1 : 0)
        message.append((connection.unixSocketPath ?? "").utf8)
        let host = url.hostName.lowercased()
        let address = connection.resolve.first { $0.key.lowercased() == host }?.value
        message.append((address?.description ?? "").utf8)
        switch connection.trustRoots {
        case .system: message.append(0)
        case .file(let path):
            message.append(1)
            message.append(path.utf8)
        case .insecureAcceptAny: message.append(2)
        }
        for pin in connection.pinnedPublicKeys.sorted() { message.append(pin.utf8) }
        self.init(message)
    }

    /// Returns the key of a variant: the response to requests with these credentials and these values of the fields
    /// that select a response.
    func variant(generation: UInt64, identity: CacheIdentity?, fields: [SelectingField]) -> CacheKey {
        var message = DigestWriter()
        message.append(bytes)
        message.append(generation)
        message.append(identity?.digest ?? [])
        for field in fields {
            message.append(field.name.utf8)
            message.append(field.value == nil ? 0 : 1)
            message.append(field.value?.bytes ?? [])
        }
        return CacheKey(message)
    }
}

extension CacheKey: CustomStringConvertible {
    /// The key in hexadecimal digits, in lowercase.
    var description: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
