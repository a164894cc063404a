import CStreams

/// A hash function of the SHA-2 family (FIPS 180-4), computed piece by piece: by the system's libcrypto if it has one.
struct SHA2: Sendable {
    /// The hash functions.
    enum Algorithm: String, Sendable {
        case sha256
        case sha512

        /// The length of a digest in bytes.
        var digestSize: Int { self == .sha256 ? 32 : 64 }
    }

    /// The implementations of a hash function.
    enum Implementation: Sendable {
        /// The system's, or the portable one if the system has none.
        case system
        case portable
    }

    // Safe because they are never changed.
    nonisolated(unsafe) private static let system256 = streams_load_sha256() ?? streams_portable_sha256()
    nonisolated(unsafe) private static let system512 = streams_load_sha512() ?? streams_portable_sha512()

    let algorithm: Algorithm
    private let functions: SHA2Functions
    private var context = SHA2Context()

    init(_ algorithm: Algorithm, by implementation: Implementation = .system) {
        self.algorithm = algorithm
        functions =
            switch (algorithm, implementation) {
            case (.sha256, .system): Self.system256.pointee
            case (.sha512, .system): Self.system512.pointee
            case (.sha256, .portable): streams_portable_sha256().pointee
            case (.sha512, .portable): streams_portable_sha512().pointee
            }
        _ = functions.begin(&context)
    }

    /// Appends bytes to the message.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // Without bytes, there may be no address.
        guard !bytes.isEmpty else { return }
        _ = functions.update(&context, bytes.baseAddress, bytes.count)
    }

    /// Returns the digest of the bytes so far.
    func digest() -> [UInt8] {
        var copy = context
        return [UInt8](unsafeUninitializedCapacity: algorithm.digestSize) { digest, count in
            count = digest.count
            if let start = digest.baseAddress { _ = functions.finish(start, &copy) }
        }
    }
}
