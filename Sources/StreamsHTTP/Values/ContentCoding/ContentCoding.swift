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

    private init?(name: String) {
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

    /// Returns the names of the codings that were applied to a body, in that order (RFC 9110, section 8.4). Those that
    /// change nothing are left out; `none` is a common mistake.
    static func names(in headers: HTTPHeaders) -> [String] {
        guard headers.contains("Content-Encoding") else { return [] }
        return headers.listElements(of: "Content-Encoding").filter { !["identity", "none"].contains($0.lowercased()) }
    }

    /// Returns whether there is a body to decode, and a decoder for it.
    static func canDecode(_ names: [String]) -> Bool {
        (1...maxCount).contains(names.count) && names.allSatisfy { ContentCoding(name: $0)?.isSupported == true }
    }

    /// The maximum number of codings of a body.
    private static let maxCount = 2

    /// Creates the decoder of a body.
    ///
    /// - Parameter names: The names of the codings in the order in which they were applied. More than two are refused:
    ///   each could multiply the work of the one before it.
    static func decoder(of names: [String]) throws(TransportFailure) -> any ContentDecoder {
        switch names.count {
        case 1: return try decoder(of: names[0])
        case 2: return try ChainedDecoder(outer: decoder(of: names[1]), inner: decoder(of: names[0]))
        default: throw TransportFailure(.transfer(.undecodableContent))
        }
    }

    private static func decoder(of name: String) throws(TransportFailure) -> any ContentDecoder {
        let decoder: (any ContentDecoder)? =
            switch ContentCoding(name: name) {
            case .deflate: ZlibDecoder(.deflate)
            case .gzip: ZlibDecoder(.gzip)
            case .brotli: BrotliDecoder()
            case .zstandard: ZstandardDecoder()
            case nil: nil
            }
        // The library is missing or out of memory, or the coding is unknown.
        guard let decoder else { throw TransportFailure(.transfer(.undecodableContent)) }
        return decoder
    }
}

extension ContentCoding {
    /// Returns a content in memory decoded, as far as it goes.
    ///
    /// - Parameters:
    ///   - content: The encoded content, whose end may be missing.
    ///   - names: The names of the codings in the order in which they were applied.
    ///   - limit: The maximum size of the decoded content.
    /// - Returns: `nil` if the content cannot be decoded, or is larger than the limit.
    static func decoded(_ content: Data, of names: [String], limit: Int) -> Data? {
        guard let decoder = try? decoder(of: names) else { return nil }
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 * 1024, alignment: 16)
        defer { part.deallocate() }
        var decoded = Data()
        return try? content.withUnsafeBytes { content in
            var input = content
            while true {
                var count = 0
                try decoder.decode(&input, into: part, &count)
                guard decoded.count + count <= limit else { return nil }
                decoded.append(contentsOf: part[..<count])
                if count < part.count { return decoded }
            }
        }
    }
}

extension TransportRequest {
    /// Whether a transport offers content codings by itself. It offers none for a range: the server would take the
    /// range from the encoded bytes (RFC 9110, section 14.1.1), of which a part cannot be decoded.
    package var offersContentCodings: Bool { connection.decodesContent && !headers.contains("Range") }
}

extension HTTPResponse<Void> {
    /// Returns the names of the content codings that a transport decodes this response's body from, in the order in
    /// which they were applied.
    func decodedCodings(inAnswerTo request: TransportRequest) -> [String] {
        guard request.connection.decodesContent, status != .partialContent || !request.headers.contains("Range") else {
            return []
        }
        return ContentCoding.names(in: headers)
    }

    /// Returns this response without the fields that describe the encoded form of a body that a transport decodes.
    func describingDecodedBody(inAnswerTo request: TransportRequest) -> HTTPResponse {
        guard hasContent(inAnswerTo: request.method), ContentCoding.canDecode(decodedCodings(inAnswerTo: request))
        else { return self }
        return removingFieldsOfCoding()
    }
}
