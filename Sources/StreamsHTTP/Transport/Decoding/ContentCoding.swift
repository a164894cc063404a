/// A content coding that bodies can be decoded from (RFC 9110, section 8.4.1).
///
/// libcurl's own decoding is not used. It decodes all bytes that it has read at once, however far they expand and even
/// while the transfer is paused, and it accepts content without an end.
enum ContentCoding: CaseIterable {
    case deflate
    case gzip
    case brotli
    case zstandard

    /// The codings that are accepted, as the value of `Accept-Encoding`, or `nil` if none can be decoded.
    static let accepted: String? = {
        let names = allCases.filter(\.isSupported).map(\.name)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }()

    private init?(name: Substring) {
        switch name.lowercased() {
        case "deflate": self = .deflate
        case "gzip", "x-gzip": self = .gzip
        case "br": self = .brotli
        case "zstd": self = .zstandard
        default: return nil
        }
    }

    private var name: String {
        switch self {
        case .deflate: "deflate"
        case .gzip: "gzip"
        case .brotli: "br"
        case .zstandard: "zstd"
        }
    }

    /// Whether the system has the library that decodes it.
    var isSupported: Bool {
        switch self {
        case .deflate, .gzip: ZlibDecoder.zlib != nil
        case .brotli: BrotliDecoder.brotli != nil
        case .zstandard: ZstandardDecoder.zstandard != nil
        }
    }

    /// Creates a decoder, or returns `nil` if the library is missing or out of memory.
    private func makeDecoder() -> (any ContentDecoder)? {
        switch self {
        case .deflate: ZlibDecoder(.deflate)
        case .gzip: ZlibDecoder(.gzip)
        case .brotli: BrotliDecoder()
        case .zstandard: ZstandardDecoder()
        }
    }

    /// Returns the names of the codings that were applied to a body, in that order (RFC 9110, section 8.4). Those that
    /// change nothing are left out; `none` is a common mistake.
    static func names(in headers: HTTPHeaders) -> [Substring] {
        guard headers.contains("Content-Encoding") else { return [] }
        let names = headers.values(for: "Content-Encoding").flatMap { value in
            value.split(separator: ",").map { String($0).trimmingOptionalWhitespace }
        }
        return names.filter { !["", "identity", "none"].contains($0.lowercased()) }
    }

    /// Returns whether there is a body to decode, and a decoder for it.
    static func canDecode(_ names: [Substring]) -> Bool {
        (1...maxCount).contains(names.count) && names.allSatisfy { ContentCoding(name: $0)?.isSupported == true }
    }

    /// The maximum number of codings of a body.
    private static let maxCount = 2

    /// Creates the decoder of a body.
    ///
    /// - Parameter names: The names of the codings in the order in which they were applied. More than two are refused:
    ///   each could multiply the work of the one before it.
    static func decoder(of names: [Substring]) throws(TransportFailure) -> any ContentDecoder {
        switch names.count {
        case 1: return try decoder(of: names[0])
        case 2: return try ChainedDecoder(outer: decoder(of: names[1]), inner: decoder(of: names[0]))
        default: throw TransportFailure(.transfer(.undecodableContent))
        }
    }

    private static func decoder(of name: Substring) throws(TransportFailure) -> any ContentDecoder {
        guard let decoder = ContentCoding(name: name)?.makeDecoder() else {
            throw TransportFailure(.transfer(.undecodableContent))
        }
        return decoder
    }
}
