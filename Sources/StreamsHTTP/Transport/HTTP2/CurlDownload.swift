import CLibcurl

/// The response of a transfer, as libcurl passes it on, and its progress.
struct CurlDownload {
    /// The number of bytes that are decoded at once.
    private static let pieceSize = 32 * 1024

    private var parser: HeadParser
    private var isHeadTaken = false
    private var bodyBuffer = BodyBuffer()
    /// The number of bytes of the body so far, before decoding.
    private var received: Int64 = 0
    /// The number of bytes of the body that have been taken.
    private var taken: Int64 = 0
    private(set) var head: HTTPResponse<Void>?
    /// The names of the codings that the body is to be decoded from.
    private var codings: [Substring] = []
    /// The decoder, once the body has begun.
    private var decoder: (any ContentDecoder)?
    /// The number of bytes at the start of libcurl's next part of the body that have been decoded.
    private var decoded = 0

    init(_ limits: RequestOptions.HeadLimits) {
        parser = HeadParser(limits)
    }

    /// Whether a head has begun and is incomplete.
    var isInHead: Bool { head == nil && parser.hasBegun }

    /// The fields after the body, or `nil` if there are none.
    var trailers: HTTPHeaders? { parser.trailers }

    /// Whether the response has begun with a valid status line.
    var isHTTP: Bool { parser.hasStatus }

    /// Whether the body is to be decoded.
    var isEncoded: Bool { !codings.isEmpty }

    /// Parses a line of the head or the trailers.
    ///
    /// - Parameters:
    ///   - line: The line, with its line break.
    ///   - request: The request that the head answers.
    /// - Returns: The error, if the line is invalid.
    mutating func readHeader(_ line: UnsafeRawBufferPointer, inAnswerTo request: TransportRequest) -> HTTPError.Reason?
    {
        guard head == nil else {
            return parser.consumeTrailer(line) ? nil : .transfer(.headTooLarge)
        }
        switch parser.consume(line, url: request.lazyURL) {
        case .incomplete:
            return nil
        case .complete(let head):
            self.head = head
            if head.hasTransferCoding { return .transfer(.undecodableContent) }
            codings = head.decodedCodings(inAnswerTo: request)
            return nil
        case .malformed:
            return .transfer(.notHTTP)
        case .tooLarge:
            return .transfer(.headTooLarge)
        case .invalidLength:
            return .transfer(.protocolError)
        }
    }

    /// Appends a part of the body.
    mutating func readBody(_ bytes: UnsafeRawBufferPointer) {
        received += Int64(bytes.count)
        bodyBuffer.append(bytes)
    }

    /// Decodes a part of the body for as long as the window is open.
    ///
    /// - Returns: Whether the whole part is decoded. Otherwise, libcurl must be paused, and passes the same bytes again.
    mutating func decodeBody(
        _ bytes: UnsafeRawBufferPointer, within window: borrowing ReadWindow
    ) throws(TransportFailure) -> Bool {
        let decoder = try runningDecoder()
        var rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(decoded))
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        defer { piece.deallocate() }
        var count = 0
        repeat {
            guard window.isOpen() else {
                decoded = max(decoded, bytes.count - rest.count)
                return false
            }
            let size = rest.count
            do throws(TransportFailure) {
                count = try decoder.decode(&rest, into: piece)
            } catch {
                bodyBuffer.append(UnsafeRawBufferPointer(rebasing: piece[..<decoder.countBeforeError]))
                throw error
            }
            received += Int64(size - rest.count)
            window.spend(count)
            bodyBuffer.append(UnsafeRawBufferPointer(rebasing: piece[..<count]))
        } while count == piece.count
        decoded = max(decoded - bytes.count, 0)
        return true
    }

    private mutating func runningDecoder() throws(TransportFailure) -> any ContentDecoder {
        if let decoder { return decoder }
        let created = try ContentCoding.decoder(of: codings)
        decoder = created
        return created
    }

    /// Takes the head, once it is complete.
    mutating func takeHead() -> HTTPResponse<Void>? {
        guard !isHeadTaken, let head else { return nil }
        isHeadTaken = true
        return head
    }

    /// Takes a part of the body.
    mutating func takeChunk() -> TransportEvent? {
        guard let chunk = bodyBuffer.next() else { return nil }
        taken += Int64(chunk.count)
        return .chunk(chunk, received: isEncoded ? received : taken)
    }

    /// Returns the error of an incomplete response that libcurl reports as complete, or `nil`.
    func shortcoming(inAnswerTo method: HTTPMethod) -> HTTPError.Reason? {
        // libcurl accepts a head that ends early.
        guard let head else { return .transfer(parser.hasBegun ? .receiveFailed : .notHTTP) }
        // libcurl accepts an HTTP/2 body that ends early with a reset of the stream.
        if let length = head.contentLength(inAnswerTo: method), length != received { return .transfer(.bodyEndedEarly) }
        // A part of an encoded representation need not contain its end (RFC 9110, section 15.3.7).
        guard let decoder, !decoder.isComplete, head.status != .partialContent else { return nil }
        return .transfer(.bodyEndedEarly)
    }

    /// Discards the part of the body that has not been taken.
    mutating func discard() {
        bodyBuffer.discard()
    }
}

extension HTTPResponse<Void> {
    /// Whether the body has a transfer coding besides chunked. None is ever requested (RFC 9112, section 7.4). Old
    /// versions of libcurl decode it themselves, and newer ones refuse it.
    fileprivate var hasTransferCoding: Bool {
        headers.contains {
            $0.name.isEqualIgnoringASCIICase(to: "Transfer-Encoding")
                && !$0.value.isEqualIgnoringASCIICase(to: "chunked")
        }
    }
}
