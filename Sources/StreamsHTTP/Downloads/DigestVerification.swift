/// Verifies a download against the digests that it should have, as far as possible while it is received.
struct DigestVerification {
    private struct Hash {
        /// The offset in the file of the first hashed byte.
        let start: Int64
        var function: SHA2
    }

    private struct Expectation {
        let checksum: Download.Checksum
        let start: Int64
    }

    private var hashes: [Hash] = []
    private var expectations: [Expectation] = []

    /// Whether there is a digest to verify.
    var isVerifying: Bool { !expectations.isEmpty }

    /// Creates the verification of a file whose contents a response completes from an offset on.
    ///
    /// - Parameters:
    ///   - checksum: The expected checksum of the file.
    ///   - headers: The fields of the response; `nil` if its content is no part of the file.
    ///   - file: The file, which contains everything before the response.
    init(_ checksum: Download.Checksum?, _ headers: HTTPHeaders?, resuming file: PartialFile) throws(HTTPError.Reason) {
        if let checksum { expectations.append(Expectation(checksum: checksum, start: 0)) }
        if let headers { expect(headers, from: file.size) }
        for expectation in expectations where hash(for: expectation) == nil {
            hashes.append(Hash(start: expectation.start, function: SHA2(expectation.checksum.algorithm)))
        }
        guard hashes.contains(where: { $0.start < file.size }) else { return }
        try file.read(from: 0) { bytes in update(bytes) { $0.start == 0 } }
    }

    /// Appends received bytes.
    mutating func update(_ data: Data) {
        guard !hashes.isEmpty else { return }
        data.withUnsafeBytes { bytes in update(bytes) { _ in true } }
    }

    /// Verifies the whole file.
    ///
    /// - Parameters:
    ///   - trailers: The fields after the content (RFC 9530, section 6).
    ///   - offset: The offset of the response's content in the file.
    /// - Returns: The first checksum that differs; `nil` if there is none.
    mutating func mismatch(
        in file: PartialFile, _ trailers: HTTPHeaders, from offset: Int64
    ) throws(HTTPError.Reason) -> Download.Checksum? {
        expect(trailers, from: offset)
        for expectation in expectations {
            let function: SHA2
            if let index = hash(for: expectation) {
                function = hashes[index].function
            } else {
                var other = SHA2(expectation.checksum.algorithm)
                try file.read(from: expectation.start) { other.update($0) }
                hashes.append(Hash(start: expectation.start, function: other))
                function = other
            }
            if Download.Checksum(function) != expectation.checksum { return expectation.checksum }
        }
        return nil
    }

    private mutating func expect(_ headers: HTTPHeaders, from offset: Int64) {
        // Of the whole representation, and of what this response contains of it.
        expectations += headers.digests("Repr-Digest").map { Expectation(checksum: $0, start: 0) }
        expectations += headers.digests("Content-Digest").map { Expectation(checksum: $0, start: offset) }
    }

    private func hash(for expectation: Expectation) -> Int? {
        hashes.firstIndex {
            $0.start == expectation.start && $0.function.algorithm == expectation.checksum.algorithm
        }
    }

    private mutating func update(_ bytes: UnsafeRawBufferPointer, where isWanted: (Hash) -> Bool) {
        for index in hashes.indices where isWanted(hashes[index]) { hashes[index].function.update(bytes) }
    }
}
