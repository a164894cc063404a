/// The reader of the responses to a request: delivers or collects the body of each within its limits, and reports
/// progress.
struct ResponseReader {
    /// The use of the body under way.
    private enum Mode {
        case awaitingHead
        /// The body is delivered to the subscriber, except for bytes that were delivered before.
        case delivering(skipping: Int)
        /// The body is collected for the response.
        case collecting
        /// The body is collected for an error, as far as the limit allows.
        case failing
        /// The body of a redirect, or of a response to the request for a missing part that is empty, is discarded.
        case discarding
    }

    /// The consequence of a chunk.
    enum Step {
        /// The exchange may deliver as many bytes more.
        case grant(Int)
        /// The rest of the body is not needed.
        case finishEarly
        case fail(HTTPError.Reason)
    }

    /// The result of an exchange.
    enum Outcome {
        /// The response; its body is empty if it was delivered.
        case response(HTTPResponse<Data>)
        /// The response that is an error.
        case error(HTTPResponse<Data>, isWhole: Bool)
        case redirect
        case failure(HTTPError.Reason)
    }

    /// The number of bytes of a redirect's body that are read to keep the connection.
    private static let discardLimit = 64 * 1024

    private let plan: RequestPlan
    /// The number of bytes that all exchanges have appended to the buffer for the subscriber.
    private(set) var delivered = 0
    /// The state that resumes an interrupted download. Boxed, because few requests have it and all copy the reader.
    private var resumption: Box<Resumption>?

    // The state of the current exchange.
    private var mode = Mode.awaitingHead
    private(set) var head: HTTPResponse<Void>?
    /// The length of the body on the wire, if the server declared it.
    private var length: Int64?
    /// The offset of this exchange's body in the whole body.
    private var offset = 0
    private var body = Data()
    /// Whether the body is the transport's chunk, not a copy.
    private var isBodyBorrowed = false
    /// The number of decoded bytes that were received.
    private var size = 0
    /// The number of bytes that were received on the wire.
    private(set) var received: Int64 = 0
    private var throttle: ProgressThrottle
    /// The fields after the body.
    var trailers = HTTPHeaders()

    init(_ plan: RequestPlan) {
        self.plan = plan
        throttle = ProgressThrottle(plan.granularity)
    }

    /// Prepares for another exchange.
    ///
    /// - Parameter released: Values that are released outside of the lock.
    mutating func reset(_ released: inout [Any]) {
        if isBodyBorrowed { released.append(body) }
        var next = ResponseReader(plan)
        next.delivered = delivered
        next.resumption = resumption
        self = next
    }

    var isAwaitingHead: Bool { if case .awaitingHead = mode { true } else { false } }

    /// Whether the head decides on the outcome, even if the body breaks: that of an error, or one that is discarded.
    var needsNoBody: Bool {
        switch mode {
        case .failing, .discarding: true
        case .awaitingHead, .delivering, .collecting: false
        }
    }
}

// MARK: Heads

extension ResponseReader {
    /// Starts to read the body of a redirect.
    ///
    /// - Returns: Whether the body is small enough to be read.
    mutating func readRedirect(_ head: HTTPResponse<Void>) -> Bool {
        mode = .discarding
        return head.declaredLength ?? 0 <= Self.discardLimit
    }

    /// Starts to read the body of an error.
    mutating func readError(_ head: HTTPResponse<Void>) {
        self.head = head
        mode = .failing
    }

    /// Starts to read the body of an acceptable response.
    ///
    /// - Returns: A failure if the response does not continue the one that was delivered in part.
    mutating func readBody(_ head: HTTPResponse<Void>, of request: TransportRequest) -> TransportFailure? {
        self.head = head
        length = head.contentLength(inAnswerTo: request.method)
        guard plan.bodyUse == .deliver else {
            mode = .collecting
            return nil
        }
        mode = .delivering(skipping: 0)
        guard delivered > 0, var resumption = resumption?.value else {
            if plan.options.retry.resumesDownloads {
                resumption = Resumption(of: head, to: request).map { Box($0) }
            }
            return nil
        }
        let position = resumption.position(of: head, after: delivered)
        self.resumption = Box(resumption)
        switch position {
        case .continuation: offset = delivered
        case .start: mode = .delivering(skipping: delivered)
        // The body has changed, and the delivered part of the old one cannot be revoked.
        case .mismatch: return resumption.failure
        }
        return nil
    }
}

// MARK: Resumption

extension ResponseReader {
    /// Discards the body of a response that means that the delivered part of the body is the whole.
    ///
    /// - Returns: The head of the first response; `nil` if the response means something else.
    mutating func readCompletion(_ head: HTTPResponse<Void>) -> HTTPResponse<Void>? {
        guard let resumption = resumption?.value, resumption.isComplete(by: head, after: delivered) else { return nil }
        mode = .discarding
        self.head = resumption.head
        return resumption.head
    }

    /// Whether the request can be repeated: its body can be sent again, and either no byte has been delivered, or the
    /// download can be resumed.
    var isRepeatable: Bool {
        guard case .success(let planned) = plan.request else { return false }
        return planned.body.isReplayable && (delivered == 0 || resumption != nil)
    }

    /// Returns the request for the missing part of the body.
    func resuming(_ request: TransportRequest) -> TransportRequest {
        resumption?.value.continuing(request, after: delivered) ?? request
    }

    mutating func recordInterruption(by error: HTTPError) {
        guard var resumption = resumption?.value else { return }
        resumption.failure = TransportFailure(error.reason, underlying: error.underlying)
        self.resumption = Box(resumption)
    }
}

// MARK: Bodies

extension ResponseReader {
    /// - Parameter released: Values that are released outside of the lock.
    mutating func receive(
        _ chunk: Data, received: Int64, _ buffer: inout EventBuffer, released: inout [Any]
    ) -> Step {
        self.received = received
        size += chunk.count
        switch mode {
        case .awaitingHead:
            return .finishEarly
        case .delivering(let skipped):
            return deliver(chunk, skipping: skipped, &buffer)
        case .collecting:
            if let limit = plan.maxBodySize, size > limit { return .fail(.transfer(.bodyTooLarge(limit: limit))) }
            collect(chunk, &released)
            reportProgress(to: &buffer, isFinal: false)
            return .grant(chunk.count)
        case .failing:
            // An error whose body is too large is still reported, with as much of the body as the limit allows.
            let room = plan.maxErrorBodySize - body.count
            body.append(chunk.prefix(room))
            return chunk.count > room ? .finishEarly : .grant(chunk.count)
        case .discarding:
            return size > Self.discardLimit ? .finishEarly : .grant(chunk.count)
        }
    }

    /// Returns the result of the exchange, which has ended.
    mutating func finish(_ buffer: inout EventBuffer) -> Outcome {
        guard let head else { return isAwaitingHead ? .failure(.transfer(.protocolError)) : .redirect }
        switch mode {
        case .delivering(let skipped) where skipped > 0:
            return .failure(.transfer(.bodyEndedEarly))
        // A server may respond with a part of the range.
        case .delivering where offset > 0 && resumption?.value.length != Int64(delivered):
            return .failure(.transfer(.bodyEndedEarly))
        case .discarding:
            return .response(head.replacingBody(Data()))
        case .failing:
            let response = head.replacingBody(takeBody()).with(trailers: trailers)
            return .error(response, isWhole: response.body.count == size && size <= plan.maxBodySize ?? .max)
        case .delivering, .collecting, .awaitingHead:
            reportProgress(to: &buffer, isFinal: true)
            return .response(head.replacingBody(takeBody()).with(trailers: trailers))
        }
    }
}

extension ResponseReader {
    private mutating func deliver(_ chunk: Data, skipping skipped: Int, _ buffer: inout EventBuffer) -> Step {
        let known = min(skipped, chunk.count)
        mode = .delivering(skipping: skipped - known)
        let chunk = known > 0 ? Data(chunk.dropFirst(known)) : chunk
        if let limit = plan.maxBodySize, delivered + chunk.count > limit {
            return .fail(.transfer(.bodyTooLarge(limit: limit)))
        }
        delivered += chunk.count
        if !chunk.isEmpty { buffer.append(chunk: chunk) }
        reportProgress(to: &buffer, isFinal: false)
        // The rest is granted when it is delivered.
        return .grant(known)
    }

    /// Appends a chunk to the body. Most bodies are one chunk, which is not copied.
    private mutating func collect(_ chunk: Data, _ released: inout [Any]) {
        if body.isEmpty {
            let expected = min(length ?? 0, Int64(plan.maxBodySize ?? 0), 1 << 20)
            isBodyBorrowed = chunk.count >= expected
            guard !isBodyBorrowed else { return body = chunk }
            body.reserveCapacity(Int(expected))
        } else if isBodyBorrowed {
            // Appending in place could release the transport's memory under the lock.
            var whole = Data(capacity: body.count + chunk.count)
            whole.append(body)
            released.append(takeBody())
            body = whole
        }
        body.append(chunk)
    }

    /// Returns the error whose body is being read with the part that has been received; `nil` if there is none.
    mutating func takeError() -> HTTPResponse<Data>? {
        guard case .failing = mode else { return nil }
        return head?.replacingBody(takeBody())
    }

    private mutating func takeBody() -> Data {
        isBodyBorrowed = false
        defer { body = Data() }
        return body
    }

    private mutating func reportProgress(to buffer: inout EventBuffer, isFinal: Bool) {
        guard buffer.includesProgress else { return }
        if isFinal, received == 0, length == nil { return }
        let start = Int64(offset)
        let progress = TransferProgress(
            completed: received.adding(start) ?? .max, total: length.flatMap { $0.adding(start) },
            decoded: start + Int64(size))
        if let progress = throttle.admit(progress, isFinal: isFinal) { buffer.set(download: progress) }
    }
}

extension RequestPlan {
    var granularity: RequestOptions.ProgressGranularity { options.progress }
}

extension Int64 {
    /// Returns the sum; `nil` if it overflows. Lengths from peers and counts in recordings may be any number.
    fileprivate func adding(_ other: Int64) -> Int64? {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? nil : sum
    }
}
