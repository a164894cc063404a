/// The reader of the responses to a request: delivers or collects the body of each within its limits, and reports
/// progress.
struct ResponseReader {
    /// The use of the body under way.
    private enum Mode {
        case awaitingHead
        /// The body is delivered to the subscriber.
        case delivering
        /// The body is collected for the response.
        case collecting
        /// The body is collected for an error, as far as the limit allows.
        case failing
        /// The body of a redirect is discarded.
        case discarding
    }

    /// The consequence of a chunk.
    enum Step {
        /// The exchange may deliver as many bytes more.
        case allow(bytes: Int)
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
    /// The number of bytes that have been appended to the buffer for the subscriber.
    private(set) var delivered = 0

    // The state of the current exchange.
    private var mode = Mode.awaitingHead
    private(set) var head: HTTPResponse<Void>?
    private var isHeadDelivered = false
    /// The length of the body on the wire, if the server declared it.
    private var length: Int64?
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
        throttle = ProgressThrottle(plan.options.progress)
    }

    /// Prepares for another exchange.
    ///
    /// - Parameter released: Values that are released outside of the lock.
    mutating func reset(_ released: inout [Any]) {
        if isBodyBorrowed { released.append(body) }
        var next = ResponseReader(plan)
        next.delivered = delivered
        self = next
    }

    /// Whether the request can be repeated: its body can be sent again, and no part of the response has been used.
    var isRepeatable: Bool {
        guard case .success(let planned) = plan.request else { return false }
        return planned.body.isReplayable && isReplaceable && head?.status != .switchingProtocols
            && !(hasRefusal && !planned.body.isEmpty)
    }

    /// Whether an accepted response has the status of an error. A server may respond with one before it has read the
    /// request's body, and then break the exchange (RFC 9113, section 8.1): the body would be sent again in vain.
    private var hasRefusal: Bool { !needsNoBody && (head.map { $0.status.code >= 400 } ?? false) }

    /// Whether another response can take the place of this one: neither a byte of it nor, for good, its head has been
    /// delivered.
    var isReplaceable: Bool { delivered == 0 && !(plan.bodyUse == .handOver && isHeadDelivered) }

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

    /// Delivers the head of the response under way, or of one that an interceptor provides, unless that has been done.
    mutating func deliver(_ head: @autoclosure () -> HTTPResponse<Void>, to buffer: inout EventBuffer) {
        guard !isHeadDelivered else { return }
        isHeadDelivered = true
        buffer.append(step: .head(head()))
    }

    /// Delivers the part of a broken body that was withheld for another attempt, if bodies are delivered.
    mutating func deliver(part: Data, to buffer: inout EventBuffer) {
        guard plan.bodyUse == .deliver, !part.isEmpty else { return }
        delivered += part.count
        buffer.append(chunk: part)
    }

    /// Starts to read the body of an error, or of a response that another attempt may replace.
    mutating func readError(_ head: HTTPResponse<Void>) {
        self.head = head
        mode = .failing
    }

    /// Starts to read the body of a response that is final.
    mutating func readBody(_ head: HTTPResponse<Void>, of request: TransportRequest) {
        self.head = head
        length = head.contentLength(inAnswerTo: request.method)
        mode = plan.bodyUse == .collect ? .collecting : .delivering
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
        case .delivering:
            return deliver(chunk, &buffer)
        case .collecting:
            if let limit = plan.maxBodySize, size > limit { return .fail(.transfer(.bodyTooLarge(limit: limit))) }
            collect(chunk, &released)
            reportProgress(to: &buffer, isFinal: false)
            return .allow(bytes: chunk.count)
        case .failing:
            // An error whose body is too large is still reported, with as much of the body as the limit allows.
            let room = plan.maxErrorBodySize - body.count
            body.append(chunk.prefix(room))
            return chunk.count > room ? .finishEarly : .allow(bytes: chunk.count)
        case .discarding:
            return size > Self.discardLimit ? .finishEarly : .allow(bytes: chunk.count)
        }
    }

    /// Returns the result of the exchange, which has ended.
    mutating func finish(_ buffer: inout EventBuffer) -> Outcome {
        guard let head else { return isAwaitingHead ? .failure(.transfer(.protocolError)) : .redirect }
        switch mode {
        case .failing:
            let response = head.replacingBody(takeBody()).with(trailers: trailers)
            return .error(response, isWhole: response.body.count == size && size <= plan.maxBodySize ?? .max)
        case .delivering, .collecting, .awaitingHead, .discarding:
            reportProgress(to: &buffer, isFinal: true)
            return .response(head.replacingBody(takeBody()).with(trailers: trailers))
        }
    }
}

extension ResponseReader {
    private mutating func deliver(_ chunk: Data, _ buffer: inout EventBuffer) -> Step {
        if let limit = plan.maxBodySize, delivered + chunk.count > limit {
            return .fail(.transfer(.bodyTooLarge(limit: limit)))
        }
        delivered += chunk.count
        if !chunk.isEmpty { buffer.append(chunk: chunk) }
        reportProgress(to: &buffer, isFinal: false)
        // The bytes are allowed when they are delivered.
        return .allow(bytes: 0)
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
        let progress = TransferProgress(completed: received, total: length, decoded: Int64(size))
        if let progress = throttle.admit(progress, isFinal: isFinal) { buffer.set(download: progress) }
    }
}
