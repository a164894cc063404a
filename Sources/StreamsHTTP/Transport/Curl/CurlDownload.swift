import CLibcurl

/// A response on its way out of libcurl, and how far it has come.
struct CurlDownload {
    private var parser = HeadParser()
    private var isHeadTaken = false
    private var intake = CurlIntake()
    /// How many bytes the body has had so far, over the wire where it was last asked for.
    private var received: Int64 = 0
    /// How much of the body has been taken out.
    private var taken: Int64 = 0
    private(set) var head: HTTPResponse<Void>?
    /// Whether libcurl decodes the body.
    private(set) var isDecoding = false

    /// Whether a head has begun and is not complete.
    var isInHead: Bool { head == nil && parser.hasBegun }

    /// Whether there is something to take out.
    var hasNews: Bool { head != nil && !isHeadTaken || hasBody }

    /// Whether there is a part of the body to take out.
    var hasBody: Bool { !intake.isEmpty }

    /// Takes in a line of the head.
    ///
    /// - Parameter request: What the head answers.
    /// - Returns: What is wrong with it.
    mutating func readHeader(_ line: UnsafeRawBufferPointer, inAnswerTo request: TransportRequest) -> HTTPError.Reason?
    {
        // What looks like a head after the head is a trailer.
        guard head == nil else { return nil }
        switch parser.consume(line, url: request.url) {
        case .incomplete:
            return nil
        case .complete(let head):
            self.head = head
            isDecoding = request.connection.decodesContent && head.headers.contains("Content-Encoding")
            return nil
        case .malformed:
            return .transfer(.notHTTP)
        case .tooLarge:
            return .transfer(.headTooLarge)
        case .contradictory:
            return .transfer(.protocolError)
        }
    }

    /// Takes in a part of the body.
    mutating func readBody(_ bytes: UnsafeRawBufferPointer) {
        received += Int64(bytes.count)
        intake.append(bytes)
    }

    /// Takes the head out, once it is complete.
    mutating func takeHead() -> HTTPResponse<Void>? {
        guard !isHeadTaken, let head else { return nil }
        isHeadTaken = true
        return head
    }

    /// Takes a part of the body out.
    mutating func takeChunk() -> TransportEvent? {
        guard let chunk = intake.next() else { return nil }
        taken += Int64(chunk.count)
        return .chunk(chunk, received: isDecoding ? received : taken)
    }

    /// Asks how much of the body has come over the wire, which is not what was taken in where it is decoded on the way.
    mutating func measure(_ easy: OpaquePointer) {
        if isDecoding { streams_curl_get_offset(easy, CurlInfoBytesReceived, &received) }
    }

    /// What is missing of a response that libcurl calls complete.
    func shortcoming(inAnswerTo method: HTTPMethod) -> HTTPError.Reason? {
        // It lets a head pass that was cut off before its end.
        guard let head else { return .transfer(parser.hasBegun ? .receiveFailed : .notHTTP) }
        // And a body of HTTP/2 whose stream was reset as if it were complete.
        guard let length = head.contentLength(inAnswerTo: method), length != received else { return nil }
        return .transfer(.bodyEndedEarly)
    }

    /// Lets go of what has not been taken out.
    mutating func discard() {
        intake.discard()
    }
}
