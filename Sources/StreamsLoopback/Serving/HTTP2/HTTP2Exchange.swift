/// The exchange of a stream, which has its own thread.
struct HTTP2Exchange: Sendable {
    private let session: HTTP2Session
    private let head: HTTP2RequestHead
    private let stream: Int
    private let number: Int
    private let route: RouteTable.Route

    init(
        _ session: HTTP2Session, _ head: HTTP2RequestHead, stream: Int, number: Int, route: RouteTable.Route
    ) {
        self.session = session
        self.head = head
        self.stream = stream
        self.number = number
        self.route = route
    }

    /// Reads the request, and replies.
    func run() {
        do throws(HTTP2Break) {
            try exchange()
        } catch {
            end(by: error)
        }
        session.finish(stream)
    }

    private func exchange() throws(HTTP2Break) {
        var intake = HTTP2Intake(head, session: session, stream: stream, number: number)
        try intake.run(route.intake)
        let request = session.recorder.request(number)
        session.recorder.record(number) { $0.state = .replying }
        let reply = route.handler(request)
        // A WebSocket needs a connection of its own.
        guard reply.webSocketSteps == nil else { throw .resetStream(.http11Required) }
        let isReadToEnd = intake.isReadToEnd(by: route.intake)
        var writer = HTTP2ReplyWriter(reply, to: request, on: stream, session: session)
        try writer.write()
        if isReadToEnd {
            try intake.finish()
        } else if !session.isRequestComplete(on: stream) {
            session.reset(stream, .noError, as: .replied)
        }
    }

    private func end(by reason: HTTP2Break) {
        var state = RecordedRequest.State.faulted
        if case .ended(let ended) = reason { state = ended }
        session.recorder.record(number) { request in
            if !request.state.isEnd { request.state = state }
        }
        switch reason {
        case .ended: break
        case .resetStream(let code): session.reset(stream, code, as: .faulted)
        case .closeConnection: session.end(.faulted, .gentle)
        case .resetConnection: session.end(.faulted, .reset)
        }
    }
}

/// Reads and records the body of a request, as its route specifies.
private struct HTTP2Intake {
    private let session: HTTP2Session
    private let stream: Int
    private let number: Int
    private var mustSayContinue: Bool
    private var recorded = 0
    /// Whether all of the body was read.
    private var isComplete = false

    init(_ head: HTTP2RequestHead, session: HTTP2Session, stream: Int, number: Int) {
        self.session = session
        self.stream = stream
        self.number = number
        mustSayContinue = head.expectsContinue
        // A request without a body is complete from the start.
        if session.isEmpty(stream) {
            isComplete = true
            session.recorder.record(number) { $0.isBodyComplete = true }
        }
    }

    /// Reads the part of the body that is read before the reply.
    mutating func run(_ intake: Intake) throws(HTTP2Break) {
        guard !isComplete else { return }
        switch intake {
        case .atOnce: try finish()
        case .paced(let bytes, let interval):
            while try read(max(1, bytes)), interval > .zero {
                try wait { () throws(HTTP2Break) in try session.wait(on: stream, until: .now + interval) }
            }
            try finish()
        case .after(let gate):
            try wait { () throws(HTTP2Break) in try session.wait(on: stream, until: nil, or: gate) }
            try finish()
        case .first(let bytes): _ = try read(bytes)
        case .afterReply: break
        }
    }

    /// Whether ``finish()`` reads the body to its end.
    func isReadToEnd(by intake: Intake) -> Bool {
        if isComplete { return true }
        if case .afterReply = intake { return !mustSayContinue }
        return false
    }

    /// Reads the rest of the body.
    mutating func finish() throws(HTTP2Break) {
        while !isComplete { _ = try read(.max) }
    }

    /// Reads a number of bytes of the body, or less at its end.
    ///
    /// - Returns: Whether there may be more of the body.
    private mutating func read(_ count: Int) throws(HTTP2Break) -> Bool {
        var left = count
        while left > 0, !isComplete {
            try sayContinue()
            let (part, isEnd) = try session.content(of: stream, atMost: left)
            left -= part.count
            let kept = part.prefix(session.recordingLimit - recorded)
            recorded += kept.count
            let trailers = isEnd ? session.trailers(of: stream) : [:]
            isComplete = isEnd
            session.recorder.record(number) { request in
                request.bodyCount += part.count
                request.body.append(contentsOf: kept)
                request.trailers = trailers
                request.isBodyComplete = isEnd
            }
        }
        return !isComplete
    }

    private mutating func sayContinue() throws(HTTP2Break) {
        guard mustSayContinue else { return }
        mustSayContinue = false
        try session.acquire(for: stream)
        let block = session.takeSizeUpdate() + HPACKEncoder.encode(HPACKField(":status".utf8, "100".utf8))
        try session.put(
            http2Frame(HTTP2FrameType.headers, flags: HTTP2Flag.endHeaders, stream: stream, block))
        session.release()
    }

    private func wait(_ pause: () throws(HTTP2Break) -> Void) throws(HTTP2Break) {
        session.recorder.record(number) { $0.state = .waiting }
        try pause()
        session.recorder.record(number) { $0.state = .receiving }
    }
}
