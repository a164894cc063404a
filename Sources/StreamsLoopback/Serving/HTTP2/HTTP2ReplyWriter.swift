/// A writer of one reply over HTTP/2, with its delays and its faults.
struct HTTP2ReplyWriter {
    private let session: HTTP2Session
    private let stream: Int
    private let reply: Reply
    private let request: RecordedRequest

    private var faults: HTTP2FaultSchedule
    /// The number of bytes of content written so far.
    private var position = 0
    /// The pieces and the interval, while the reply is sent slowly.
    private var drip: (bytes: Int, interval: Duration)?
    /// Whether a piece was sent slowly, so that the next has to wait.
    private var hasDripped = false
    /// Whether this writer has the right to write, because a field block must not be interrupted.
    private var isHoldingLine = false
    /// Whether the stream was ended.
    private var hasEnded = false

    init(_ reply: Reply, to request: RecordedRequest, on stream: Int, session: HTTP2Session) {
        self.reply = reply
        self.request = request
        self.stream = stream
        self.session = session
        faults = HTTP2FaultSchedule(reply)
    }

    /// Writes the reply.
    mutating func write() throws(HTTP2Break) {
        try writePrelude()
        try strike { $0 == .beforeHead }
        if case .garbage(let bytes) = reply.fault {
            try emit(bytes)
            throw .closeConnection
        }
        if reply.headers.list("Connection", contains: "close") { session.drain() }
        try writeHead()
        if hasBody { try writeContent() }
        try strike { $0.bytesOfBody != nil }
        try finish()
        session.recorder.record(request.number) { $0.state = .replied }
        try strike { $0 == .afterReply }
    }

    // MARK: Framing

    /// Whether the response may have content (RFC 9110 section 6.4.1).
    private var hasBody: Bool { request.method != "HEAD" && mayHaveContent }

    private var mayHaveContent: Bool { reply.status >= 200 && reply.status != 204 && reply.status != 304 }

    /// Whether the head ends the stream.
    private var headEndsStream: Bool {
        if faults.hasFaultInBody { return false }
        guard hasBody else { return true }
        let body = reply.body
        return body.framing == .length && body.pieces.allSatisfy(\.isNothing) && body.laterPieces == nil
            && body.lastPiece == nil && reply.trailers.isEmpty
    }

    /// The fields of the head, without those of a connection of HTTP/1.1.
    private var headFields: [HPACKField] {
        var headers = HeaderFields(
            reply.headers.filter { !HTTP2RequestHead.connectionFields.contains($0.name.lowercased()) })
        if mayHaveContent, reply.body.framing == .length, headers["Content-Length"] == nil {
            headers.append("content-length", String(reply.body.count))
        }
        return Self.fields(status: reply.status) + Self.fields(headers)
    }

    private static func fields(status: Int) -> [HPACKField] {
        [HPACKField(":status".utf8, String(status).utf8)]
    }

    private static func fields(_ headers: HeaderFields) -> [HPACKField] {
        headers.map { HPACKField($0.name.lowercased().utf8, $0.bytes) }
    }

    // MARK: Parts

    private mutating func writePrelude() throws(HTTP2Break) {
        for step in reply.prelude {
            switch step {
            case .pause(let duration): try wait(until: .now + duration)
            case .hold(let gate): try wait(until: nil, or: gate)
            case .informational(let status, let headers):
                let fields = Self.fields(status: status) + Self.fields(headers)
                try holdLine()
                let block = session.takeSizeUpdate() + HPACKEncoder.encode(fields)
                try emit(http2Frame(HTTP2FrameType.headers, flags: HTTP2Flag.endHeaders, stream: stream, block))
                releaseLine()
            }
        }
    }

    private mutating func writeHead() throws(HTTP2Break) {
        let fields = HPACKEncoder.encode(headFields)
        if let code = faults.takeReset(inHeadOf: fields.count) { throw .resetStream(code) }
        try holdLine()
        // The size update belongs to the first field block that is written.
        let block = session.takeSizeUpdate() + fields
        let endsStream = headEndsStream
        if endsStream { endReply() }
        var padding = 0
        if case .oversizedHead(let count) = reply.fault { padding = max(0, count - block.count) }
        try writeFieldBlock(block, padding: padding, endsStream: endsStream)
        releaseLine()
        try strike { $0.bytesOfHead != nil }
    }

    /// Writes a HEADERS frame, and CONTINUATION frames if the block is too large for it or has faults.
    private mutating func writeFieldBlock(
        _ block: [UInt8], padding: Int = 0, endsStream: Bool
    ) throws(HTTP2Break) {
        var rest = block[...]
        var padding = HTTP2Padding(padding)
        var written = 0
        var isLast = false
        while !isLast {
            try strike { $0.bytesOfHead.map { $0 <= written } == true }
            var count = session.clientMaxFrameSize
            if let next = faults.nextInHead, next > written { count = min(count, next - written) }
            while rest.count < count, let field = padding.next() { rest += field }
            let part = rest.prefix(count)
            rest = rest.dropFirst(count)
            isLast = rest.isEmpty && padding.isEmpty
            let type = written == 0 ? HTTP2FrameType.headers : HTTP2FrameType.continuation
            let flags =
                (isLast ? HTTP2Flag.endHeaders : 0) | (written == 0 && endsStream ? HTTP2Flag.endStream : 0)
            try emitSlowly(http2Frame(type, flags: flags, stream: stream, part))
            written += part.count
        }
    }

    /// Writes bytes of a head, in pieces if the reply is sent slowly.
    private mutating func emitSlowly(_ bytes: [UInt8]) throws(HTTP2Break) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if let drip, hasDripped, drip.interval > .zero { try wait(until: .now + drip.interval) }
            let part = rest.prefix(drip?.bytes ?? rest.count)
            try emit(Array(part))
            hasDripped = drip != nil
            rest = rest.dropFirst(part.count)
        }
    }

    private mutating func writeContent() throws(HTTP2Break) {
        let body = reply.body
        let hasMore = body.laterPieces != nil || body.lastPiece != nil
        for (index, piece) in body.pieces.enumerated() {
            let isLast = index == body.pieces.count - 1 && !hasMore && body.framing == .length
            try write(piece, isLast: isLast)
        }
        var index = 0
        while let piece = body.laterPieces?(index) {
            try write(piece, isLast: false)
            index += 1
        }
        if let piece = body.lastPiece { try write(piece, isLast: false) }
    }

    private mutating func write(_ piece: Reply.Body.Piece, isLast: Bool) throws(HTTP2Break) {
        switch piece {
        case .bytes(let bytes): try write(bytes[...], isLast: isLast)
        case .generated(let count):
            let end = position + max(0, count)
            while position < end {
                let part = GeneratedBytes.stretch(at: position, atMost: end - position)
                try write(part, isLast: isLast && position + part.count == end)
            }
        case .pause(let duration): try wait(until: .now + duration)
        case .hold(let gate): try wait(until: nil, or: gate)
        }
    }

    private mutating func write(_ content: ArraySlice<UInt8>, isLast: Bool) throws(HTTP2Break) {
        var rest = content
        while !rest.isEmpty {
            try strikeInBody()
            if let drip, hasDripped, drip.interval > .zero { try wait(until: .now + drip.interval) }
            var count = rest.count
            if let drip { count = min(count, drip.bytes) }
            if let next = faults.nextInBody { count = min(count, next - position) }
            let sent = try send(rest.prefix(count), isLast: isLast && count == rest.count)
            hasDripped = drip != nil
            rest = rest.dropFirst(sent)
            try strikeInBody()
        }
    }

    /// Sends content as the client's windows allow.
    ///
    /// - Returns: The number of bytes sent, at least one.
    private mutating func send(_ content: ArraySlice<UInt8>, isLast: Bool) throws(HTTP2Break) -> Int {
        let count = try waitForWindow(content.count)
        isHoldingLine = true
        let endsStream = isLast && count == content.count && reply.trailers.isEmpty && !faults.hasFaultInBody
        if endsStream { endReply() }
        let flags = endsStream ? HTTP2Flag.endStream : 0
        try emit(http2Frame(HTTP2FrameType.data, flags: flags, stream: stream, content.prefix(count)))
        releaseLine()
        position += count
        let number = request.number
        session.recorder.record { journal in
            journal.bytesWritten += count
            journal.requests[number - 1].bytesWritten += count
        }
        return count
    }

    /// Ends the stream with the trailers or an empty frame, unless it has ended.
    private mutating func finish() throws(HTTP2Break) {
        guard !hasEnded else { return }
        try holdLine()
        endReply()
        if reply.trailers.isEmpty || !hasBody {
            try emit(http2Frame(HTTP2FrameType.data, flags: HTTP2Flag.endStream, stream: stream, []))
        } else {
            let block = session.takeSizeUpdate() + HPACKEncoder.encode(Self.fields(reply.trailers))
            try writeFieldBlock(block, endsStream: true)
        }
        releaseLine()
    }

    private mutating func endReply() {
        hasEnded = true
        session.endReply(on: stream)
    }
}

// MARK: Faults

extension HTTP2ReplyWriter {
    private mutating func strikeInBody() throws(HTTP2Break) {
        let position = position
        try strike { place in place.bytesOfBody.map { $0 <= position } == true }
    }

    private mutating func strike(where condition: (Fault.Place) -> Bool) throws(HTTP2Break) {
        while let entry = faults.take(where: condition) {
            switch entry {
            case .common(let fault): try strike(fault)
            case .own(let fault): try strike(fault)
            }
        }
    }

    private mutating func strike(_ fault: Fault) throws(HTTP2Break) {
        switch fault {
        case .reset: throw .resetStream(.internalError)
        case .close: throw .closeConnection
        case .stall(.afterReply): try stallConnection()
        case .stall: try wait(until: nil)
        case .drip(_, let bytes, let interval): drip = (max(1, bytes), interval)
        case .garbage, .oversizedHead, .malformedChunkSize: break
        }
    }

    private mutating func strike(_ fault: Fault.HTTP2) throws(HTTP2Break) {
        switch fault {
        case .resetStream(let code, _): throw .resetStream(code)
        case .resetConnection: throw .resetConnection
        case .goAway(let stream, let code, let debugData, _):
            let last = stream.number(from: self.stream)
            session.abandonStreams(above: last, except: self.stream)
            let payload = bigEndian(UInt32(truncatingIfNeeded: last)) + bigEndian(code.rawValue) + debugData
            try emit(http2Frame(HTTP2FrameType.goAway, stream: 0, payload))
            if last < self.stream { throw .ended(.faulted) }
        case .stallConnection: try stallConnection()
        case .frames(let frames, let times, let interval, _):
            try emit(frames.flatMap { $0.bytes(from: stream) }, times: times, every: interval)
        case .bytes(let bytes, _): try emit(bytes)
        }
    }

    /// Keeps the right to write, until the client disconnects or the server stops.
    private mutating func stallConnection() throws(HTTP2Break) {
        try holdLine()
        try wait(until: nil)
    }

    private mutating func emit(_ bytes: [UInt8], times: Int, every interval: Duration) throws(HTTP2Break) {
        guard !bytes.isEmpty else { return }
        var left = times
        // Frames without pauses share a write.
        let batch = interval > .zero ? 1 : max(1, 16 * 1024 / bytes.count)
        while left > 0 {
            let count = min(left, batch)
            try emit([[UInt8]](repeating: bytes, count: count).flatMap { $0 })
            left -= count
            if left > 0, interval > .zero { try wait(until: .now + interval) }
        }
    }
}

// MARK: The connection

extension HTTP2ReplyWriter {
    /// Writes bytes. Others do not write between them.
    private func emit(_ bytes: [UInt8]) throws(HTTP2Break) {
        if !isHoldingLine { try session.acquire(for: stream) }
        var wasBlocked = false
        let onBlock = {
            guard !wasBlocked else { return }
            wasBlocked = true
            recordBlocked(true)
        }
        try session.put(bytes, onBlock: onBlock)
        if wasBlocked { recordBlocked(false) }
        if !isHoldingLine { session.release() }
    }

    /// Waits for the right to write, and keeps it.
    private mutating func holdLine() throws(HTTP2Break) {
        guard !isHoldingLine else { return }
        try session.acquire(for: stream)
        isHoldingLine = true
    }

    private mutating func releaseLine() {
        // Otherwise, another thread could write before the stall.
        if hasEnded, faults.stallsConnectionAfterReply { return }
        isHoldingLine = false
        session.release()
    }

    /// Waits for the right to write content, and for the client's windows.
    ///
    /// - Returns: The number of bytes that may be written.
    private func waitForWindow(_ count: Int) throws(HTTP2Break) -> Int {
        if case .granted(let granted) = try session.acquire(for: stream, content: count, waitsForWindow: false) {
            return granted
        }
        recordBlocked(true)
        defer { recordBlocked(false) }
        if case .granted(let granted) = try session.acquire(for: stream, content: count, waitsForWindow: true) {
            return granted
        }
        return 0
    }

    private func recordBlocked(_ isBlocked: Bool) {
        session.recorder.record(request.number) { request in
            guard !request.state.isEnd else { return }
            request.state = isBlocked ? .blocked : .replying
            request.blockedSince = isBlocked ? .now : nil
        }
    }

    /// Waits until a time, `nil` for no limit, or until a gate opens.
    private func wait(until deadline: ContinuousClock.Instant?, or gate: Gate? = nil) throws(HTTP2Break) {
        record(.waiting)
        try session.wait(on: stream, until: deadline, or: gate)
        record(.replying)
    }

    private func record(_ state: RecordedRequest.State) {
        session.recorder.record(request.number) { request in
            if !request.state.isEnd { request.state = state }
        }
    }
}

extension Reply.Body.Piece {
    /// Whether the piece has neither content nor a delay.
    fileprivate var isNothing: Bool {
        switch self {
        case .bytes(let bytes): bytes.isEmpty
        case .generated(let count): count <= 0
        case .pause, .hold: false
        }
    }
}
