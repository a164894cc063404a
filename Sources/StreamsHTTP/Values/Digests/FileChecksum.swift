/// The checksum of a file: a hash function and the digest that it has for the file's contents.
///
/// ```swift
/// let checksum = FileChecksum("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
/// ```
public struct FileChecksum: Hashable, Sendable, LosslessStringConvertible {
    let algorithm: SHA2.Algorithm
    let digest: [UInt8]

    init?(_ algorithm: SHA2.Algorithm, _ digest: some Collection<UInt8>) {
        guard digest.count == algorithm.digestSize else { return nil }
        self.algorithm = algorithm
        self.digest = Array(digest)
    }

    /// Creates the checksum of the bytes that were hashed.
    init(_ hash: SHA2) {
        algorithm = hash.algorithm
        digest = hash.digest()
    }

    /// Creates a checksum from its description.
    ///
    /// - Parameter description: The name of the hash function, `sha256` or `sha512`, a colon, and the digest in
    ///   hexadecimal digits.
    /// - Returns: `nil` for any other text.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let algorithm = SHA2.Algorithm(rawValue: parts[0].lowercased()) else { return nil }
        let digits = Array(parts[1].utf8).map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 2 * algorithm.digestSize else { return nil }
        var digest: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            digest.append(UInt8(16 * high + low))
        }
        self.init(algorithm, digest)
    }

    /// The name of the hash function, a colon, and the digest in hexadecimal digits.
    public var description: String {
        let digits = Array("0123456789abcdef")
        return "\(algorithm.rawValue):" + String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

extension HTTPHeaders {
    /// Returns the digests that a field contains: `Content-Digest` or `Repr-Digest` (RFC 9530). Those of other hash
    /// functions, and members that are malformed, are left out.
    func digests(_ name: String) -> [FileChecksum] {
        FieldMember.list(in: values(for: name)).compactMap { member in
            let algorithm: SHA2.Algorithm
            switch member.name {
            case "sha-256": algorithm = .sha256
            case "sha-512": algorithm = .sha512
            default: return nil
            }
            // A byte sequence between colons (RFC 9651, section 3.3.5).
            let parts = member.value?.split(separator: ":", omittingEmptySubsequences: false) ?? []
            guard parts.count == 3, parts[0].isEmpty, parts[2].isEmpty,
                let digest = Data(base64Encoded: String(parts[1]))
            else { return nil }
            return FileChecksum(algorithm, digest)
        }
    }
}
