#if canImport(CLibcurl)
/// The response of a transfer, as libcurl passes it on, and its progress.
struct CurlDownload {
    private var parser: HeadParser
    private var isHeadTaken = false
    /// The body.
    var content: ResponseContent
    private(set) var head: HTTPResponse<Void>?
    /// The number of bytes at the start of libcurl's next part of the body that have been decoded.
    private var decoded = 0

    init(_ limits: RequestOptions.HeadLimits, _ pool: ChunkPool) {
        parser = HeadParser(limits, allowsHTTP2: true)
        content = ResponseContent(pool)
    }

    /// Whether a head has begun and is incomplete.
    var isInHead: Bool { head == nil && parser.hasBegun }

    /// The fields after the body, or `nil` if there are none.
    var trailers: HTTPHeaders? { parser.trailers }

    /// Whether the response has begun with a valid status line.
    var isHTTP: Bool { parser.hasStatus }

    /// Parses a line of the head or the trailers with its line break.
    mutating func readHeader(
        _ line: UnsafeRawBufferPointer, inAnswerTo request: TransportRequest
    ) throws(HTTPError.Reason) {
        guard head == nil else {
            try parser.consumeTrailer(line)
            return
        }
        guard let head = try parser.consume(line, url: request.lazyURL) else { return }
        self.head = head
        // No transfer coding besides chunked is ever requested (RFC 9112, section 7.4). Old versions of libcurl decode it
        // themselves, and newer ones refuse it.
        if head.headers.hasCodingBesideChunked { throw .transfer(.undecodableContent) }
        content.codings = head.decodedCodings(inAnswerTo: request)
    }

    /// Decodes a part of the body for as long as the window is open.
    ///
    /// - Returns: Whether the whole part is decoded. Otherwise, libcurl must be paused, and passes the same bytes
    ///   again.
    mutating func decodeBody(
        _ bytes: UnsafeRawBufferPointer, within window: borrowing ReadWindow
    ) throws(TransportFailure) -> Bool {
        var rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(decoded))
        guard try content.decode(&rest, within: window) else {
            decoded = max(decoded, bytes.count - rest.count)
            return false
        }
        decoded = max(decoded - bytes.count, 0)
        return true
    }

    /// Takes the head, once it is complete.
    mutating func takeHead() -> HTTPResponse<Void>? {
        guard !isHeadTaken, let head else { return nil }
        isHeadTaken = true
        return head
    }

    /// Returns the error of an incomplete response that libcurl reports as complete, or `nil`.
    func shortcoming(inAnswerTo method: HTTPMethod) -> HTTPError.Reason? {
        // libcurl accepts a head that ends early.
        guard let head else { return .transfer(parser.hasBegun ? .receiveFailed : .notHTTP) }
        // libcurl accepts an HTTP/2 body that ends early with a reset of the stream.
        if let length = head.contentLength(inAnswerTo: method), length != content.received {
            return .transfer(.bodyEndedEarly)
        }
        return content.isComplete(in: head) ? nil : .transfer(.bodyEndedEarly)
    }
}
#endif
