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
