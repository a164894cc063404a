/// A stream of a connection by HTTP/2: one request and its response (RFC 9113, sections 5.1 and 8.1).
struct HTTP2Stream {
    /// A field block of a response.
    enum Message {
        case informational(HTTPStatus)
        case head(HTTPResponse<Void>)
        case trailers(HTTPHeaders)
    }

    /// The maximum number of informational heads.
    private static let maxInformationalHeads = 100

    let request: TransportRequest
    /// Whether the whole request has been written.
    private(set) var isRequestOver: Bool
    /// The number of bytes of content that the server has room for. A change of the server's settings can make it
    /// negative.
    private(set) var sendWindow: Int
    /// The number of bytes of content that the server may send.
    private(set) var receiveWindow = HTTP2StateMachine.initialWindow
    /// The number of bytes that the server has sent in frames of content.
    private var receivedSize = 0
    private var hasHead = false
    private var informationalHeadCount = 0
    /// The length of the content that has not come; `nil` if the head declares none.
    private var remainingLength: Int64?

    init(_ request: TransportRequest, hasContent: Bool, sendWindow: Int) {
        self.request = request
        isRequestOver = !hasContent
        self.sendWindow = sendWindow
    }

    /// Records content of the request that is sent.
    mutating func send(_ count: Int, isLast: Bool) {
        sendWindow -= count
        isRequestOver = isLast
    }

    /// Grows the window of the server, or shrinks it.
    ///
    /// - Returns: Whether it has a size that a window can have (RFC 9113, section 6.9.1).
    mutating func growSendWindow(by increment: Int) -> Bool {
        sendWindow += increment
        return sendWindow <= HTTP2FrameReader.maxWindowSize
    }

    /// Grows the window of the client.
    ///
    /// - Returns: The number of bytes to announce; `nil` if it is too early.
    mutating func growWindow(to size: Int) -> UInt32? {
        let size = min(max(size, 0), HTTP2FrameReader.maxWindowSize)
        let increment = size - receiveWindow
        guard increment > 0 else { return nil }
        // The server needs no more for the rest.
        if let remainingLength, remainingLength <= Int64(receiveWindow) { return nil }
        let step = HTTP2StateMachine.initialWindow / 2
        // By halves, so that the server need not wait for the next step; but not before the response turns out large.
        let isDue = receivedSize >= step / 2 && increment >= min(step, size / 2)
        guard receiveWindow <= 0 || isDue else { return nil }
        receiveWindow += increment
        return UInt32(increment)
    }
}

// MARK: The response

extension HTTP2Stream {
    /// Receives content.
    ///
    /// - Parameters:
    ///   - count: The number of bytes of the content.
    ///   - size: The number of bytes with the padding.
    ///   - isLast: Whether it ends the response.
    mutating func receive(content count: Int, size: Int, isLast: Bool) throws(HTTP2StreamError) {
        receiveWindow -= size
        receivedSize += size
        guard receiveWindow >= 0 else { throw HTTP2StreamError(.flowControlError, .frame) }
        guard hasHead else { throw HTTP2StreamError(.protocolError, .frame) }
        if let remainingLength {
            self.remainingLength = remainingLength - Int64(count)
            guard remainingLength >= Int64(count) else { throw HTTP2StreamError(.protocolError, .length) }
        }
        if isLast { try end() }
    }

    /// Receives a field block.
    ///
    /// - Parameters:
    ///   - fields: The fields; `nil` if they exceed the limits.
    ///   - isLast: Whether it ends the response.
    mutating func receive(
        _ fields: [HTTPHeaders.Field]?, isLast: Bool
    ) throws(HTTP2StreamError) -> Message {
        guard let fields, fields.allSatisfy({ $0.lineSize <= request.headLimits.maxLineSize }) else {
            throw HTTP2StreamError(.cancel, .transfer(.headTooLarge))
        }
        let block = try HTTP2ResponseFields(fields)
        guard !hasHead else {
            guard isLast, block.status == nil else { throw HTTP2StreamError(.protocolError, .frame) }
            try end()
            return .trailers(block.headers)
        }
        guard let status = block.status else { throw HTTP2StreamError(.protocolError, .status) }
        guard !status.isInformational else {
            informationalHeadCount += 1
            // HTTP/2 has no 101 (RFC 9113, section 8.6).
            guard !isLast, status != .switchingProtocols else { throw HTTP2StreamError(.protocolError, .status) }
            guard informationalHeadCount <= Self.maxInformationalHeads else {
                throw HTTP2StreamError(.enhanceYourCalm, .transfer(.headTooLarge))
            }
            return .informational(status)
        }
        let head = HTTPResponse(
            status: status, headers: block.headers, body: (), url: request.lazyURL, version: .http2)
        guard head.headers.contentLength != .invalid else { throw HTTP2StreamError(.protocolError, .length) }
        hasHead = true
        remainingLength = head.hasContent(inAnswerTo: request.method) ? head.declaredLength : 0
        if isLast { try end() }
        return .head(head)
    }

    /// Ends the response, whose content must have the declared length (RFC 9113, section 8.1.1).
    private func end() throws(HTTP2StreamError) {
        guard remainingLength ?? 0 == 0 else { throw HTTP2StreamError(.protocolError, .transfer(.bodyEndedEarly)) }
    }
}

extension HTTPHeaders.Field {
    /// The size of the field as a line by HTTP/1.1, which the limits are about.
    fileprivate var lineSize: Int { name.utf8.count + text.byteCount + 4 }
}

/// The reason for which the client ends a stream.
struct HTTP2StreamError: Error {
    /// The code that the server is sent.
    let code: HTTP2Error.Code
    let reason: HTTPError.Reason

    init(_ code: HTTP2Error.Code, _ reason: HTTPError.Reason) {
        self.code = code
        self.reason = reason
    }

    init(_ code: HTTP2Error.Code, _ violation: ProtocolViolation) {
        self.init(code, .transfer(.protocolError(violation)))
    }
}
