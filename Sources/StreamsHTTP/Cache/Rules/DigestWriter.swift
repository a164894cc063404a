/// Computes a SHA-256 digest of a list of texts, each of which is preceded by its length, so that different lists have
/// different messages. With a key, the digest is an HMAC (RFC 2104).
struct DigestWriter {
    private static let blockSize = 64

    private var inner = SHA2(.sha256)
    private let key: [UInt8]?

    /// Creates a digest without a key.
    init() {
        key = nil
    }

    /// Creates a digest with a key.
    init(key: [UInt8]) {
        var padded = key
        if padded.count > Self.blockSize {
            var hash = SHA2(.sha256)
            hash.update(padded)
            padded = hash.digest()
        }
        padded += Array(repeating: 0, count: Self.blockSize - padded.count)
        self.key = padded
        inner.update(padded.map { $0 ^ 0x36 })
    }

    /// Appends a text after its length.
    mutating func append(_ text: some Collection<UInt8>) {
        append(UInt64(text.count))
        appendBytes(text)
    }

    /// Appends a number.
    mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { inner.update($0) }
    }

    /// Appends bytes without their number.
    mutating func appendBytes(_ bytes: some Collection<UInt8>) {
        inner.update(Array(bytes))
    }

    /// Returns the digest of what has been appended.
    func digest() -> [UInt8] {
        guard let key else { return inner.digest() }
        var outer = SHA2(.sha256)
        outer.update(key.map { $0 ^ 0x5C })
        outer.update(inner.digest())
        return outer.digest()
    }
}

extension SHA2 {
    fileprivate mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }
}
