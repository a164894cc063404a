import StreamsHTTP

/// A text in each content coding.
enum EncodedText: String, CaseIterable, Sendable {
    case gzip
    /// Deflate data in zlib's format, as the coding `deflate` is defined.
    case zlib
    /// Deflate data alone, as some servers send it for `deflate`.
    case raw
    case brotli
    case zstandard

    static let text = Data(Array(repeating: "hello world, ".utf8, count: 40).joined())

    var name: String {
        switch self {
        case .gzip: "gzip"
        case .zlib, .raw: "deflate"
        case .brotli: "br"
        case .zstandard: "zstd"
        }
    }

    /// Whether the process has the library that decodes it.
    var isSupported: Bool {
        #if canImport(CLibcurl)
        switch self {
        case .gzip, .zlib, .raw: CurlTransport.runtime.features.contains(.gzip)
        case .brotli: CurlTransport.runtime.features.contains(.brotli)
        case .zstandard: CurlTransport.runtime.features.contains(.zstd)
        }
        #else
        // The machines on which the tests run without libcurl have all libraries.
        true
        #endif
    }

    static var supported: [EncodedText] { allCases.filter(\.isSupported) }

    /// Whether the end contains a checksum.
    var hasChecksum: Bool { self == .gzip || self == .zlib || self == .zstandard }

    var bytes: [UInt8] {
        switch self {
        case .gzip:
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3] + Self.deflated + Self.gzipTrailer
        case .zlib:
            [0x78, 0xDA] + Self.deflated + [0xFA, 0xFB, 0xBA, 0x41]
        case .raw:
            Self.deflated
        case .brotli:
            [
                0x1B, 0x07, 0x02, 0xF8, 0x8D, 0xD4, 0x4E, 0xF9, 0xC3, 0x50, 0x54, 0x65, 0x68, 0x0D, 0xC2, 0xC2, 0xF6,
                0xA6, 0x66, 0xA1, 0xAC, 0x1A, 0xC8, 0x80, 0x6A, 0xAE, 0x15,
            ]
        case .zstandard:
            [
                0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x68, 0xA5, 0x00, 0x00, 0x68, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x20, 0x77,
                0x6F, 0x72, 0x6C, 0x64, 0x2C, 0x20, 0x01, 0x00, 0xF8, 0xA0, 0xCE, 0x2F, 0xF0, 0x12, 0x5C, 0xE1,
            ]
        }
    }

    private static let deflated: [UInt8] = [
        0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0x28, 0xCF, 0x2F, 0xCA, 0x49, 0xD1, 0x51, 0xC8, 0x18, 0xE5, 0x8C, 0x54,
        0x0E, 0x00,
    ]
    /// The checksum and the length.
    private static let gzipTrailer: [UInt8] = [0xF3, 0x89, 0x10, 0x3C, 0x08, 0x02, 0x00, 0x00]
}
