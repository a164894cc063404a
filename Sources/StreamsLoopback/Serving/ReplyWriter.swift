/// A writer of one reply, with its delays and its fault.
struct ReplyWriter {
    private let line: Line
    private let reply: Reply
    private let request: RecordedRequest
    private let keepsAlive: Bool
    private let recorder: Recorder

    /// The number of bytes of content written so far.
    private var position = 0
    /// The pieces and the interval, while the reply is sent slowly.
    private var drip: (bytes: Int, interval: Duration)?
    /// Whether a piece was sent slowly, so that the next has to wait.
    private var hasDripped = false

    /// - Parameter keepsAlive: Whether the request allows another one on the connection.
    init(_ reply: Reply, to request: RecordedRequest, keepsAlive: Bool, line: Line, recorder: Recorder) {
        self.reply = reply
        self.request = request
        self.keepsAlive = keepsAlive
        self.line = line
        self.recorder = recorder
    }

    /// Writes the reply.
    ///
    /// - Returns: Whether another request is allowed on the connection.
    mutating func write() throws(Line.Break) -> Bool {
        try writeStart()
        if hasBody {
            try writeBody()
        } else if reply.fault?.place?.bytesOfBody != nil {
            try strike()
        }
        recorder.record(request.number) { $0.state = .replied }
        // For the journal, the exchange is complete.
        if case .stall(.afterReply) = reply.fault { try line.pause(until: nil) }
        try strike(at: .afterReply)
        return keepsConnection
    }

    /// Writes the reply up to the end of its head.
    mutating func writeStart() throws(Line.Break) {
        try writePrelude()
        try strike(at: .beforeHead)
        if case .garbage(let bytes) = reply.fault {
            try put(bytes)
            throw .closed
        }
        try writeHead()
    }

    /// Writes bytes after the head as they are.
    mutating func write(unframed bytes: [UInt8]) throws(Line.Break) {
        try put(bytes[...], isContent: true)
    }

    // MARK: Framing

    /// Whether the response may have content (RFC 9110 section 6.4.1).
    private var hasBody: Bool { request.method != "HEAD" && mayHaveContent }

    private var mayHaveContent: Bool { reply.status >= 200 && reply.status != 204 && reply.status != 304 }

    /// The body's framing. HTTP/1.0 has no chunks.
    private var framing: Reply.Body.Framing {
        if case .malformedChunkSize = reply.fault { return .chunked }
        return reply.body.framing == .chunked && request.version == "HTTP/1.0" ? .untilClose : reply.body.framing
    }

    private var keepsConnection: Bool {
        keepsAlive && !(hasBody && framing == .untilClose) && !reply.headers.list("Connection", contains: "close")
    }

    private var headers: HeaderFields {
        var headers = reply.headers
        let hasFraming = headers["Content-Length"] != nil || headers["Transfer-Encoding"] != nil
        if mayHaveContent, !hasFraming {
            switch framing {
            case .length: headers.append("Content-Length", String(reply.body.count))
            case .chunked: headers.append("Transfer-Encoding", "chunked")
            case .untilClose: break
            }
        }
        if headers["Connection"] == nil {
            if !keepsConnection {
                headers.append("Connection", "close")
            } else if request.version == "HTTP/1.0" {
                headers.append("Connection", "keep-alive")
            }
        }
        return headers
    }

    // MARK: Parts

    private mutating func writePrelude() throws(Line.Break) {
        for step in reply.prelude {
            switch step {
            case .pause(let duration): try wait { line throws(Line.Break) in try line.pause(until: .now + duration) }
            case .hold(let gate): try wait { line throws(Line.Break) in try line.hold(at: gate) }
            case .informational(let status, let headers):
                try put(Self.head(status: status, reason: nil, headers: headers))
            }
        }
    }

    private mutating func writeHead() throws(Line.Break) {
        let head = Self.head(status: reply.status, reason: reply.reason, headers: headers)
        if let count = reply.fault?.place?.bytesOfHead {
            let cut = min(count, head.count)
            try put(head[..<cut])
            try strike()
            try put(head[cut...])
        } else if case .oversizedHead(let count) = reply.fault {
            try put(head.dropLast(2))
            try writePadding(count - head.count)
            try put("\r\n".utf8)
        } else {
            try put(head)
        }
    }

    /// Writes fields of `count` bytes in all, at least one field.
    private mutating func writePadding(_ count: Int) throws(Line.Break) {
        let frame = "X-Padding: \r\n".utf8.count
        var left = count
        while left > 0 {
            // The rest after a line must be large enough for another line.
            let size = left >= 1024 + frame ? 1024 : max(left, frame)
            try put("X-Padding: \(String(repeating: "x", count: size - frame))\r\n".utf8)
            left -= size
        }
    }

    private mutating func writeBody() throws(Line.Break) {
        for piece in reply.body.pieces { try write(piece) }
        var index = 0
        while let piece = reply.body.laterPieces?(index) {
            try write(piece)
            index += 1
        }
        if let piece = reply.body.lastPiece { try write(piece) }
        if let count = reply.fault?.place?.bytesOfBody, count >= position { try strike() }
        if framing == .chunked { try put("0\r\n".utf8 + Self.lines(reply.trailers) + "\r\n".utf8) }
    }

    private mutating func write(_ piece: Reply.Body.Piece) throws(Line.Break) {
        switch piece {
        case .bytes(let bytes): try writeChunk(bytes[...])
        case .generated(let count):
            let end = position + max(0, count)
            while position < end {
                try writeChunk(GeneratedBytes.stretch(at: position, atMost: end - position))
            }
        case .pause(let duration): try wait { line throws(Line.Break) in try line.pause(until: .now + duration) }
        case .hold(let gate): try wait { line throws(Line.Break) in try line.hold(at: gate) }
        }
    }

    private mutating func writeChunk(_ content: ArraySlice<UInt8>) throws(Line.Break) {
        guard !content.isEmpty else { return }
        var rest = content
        var cut = reply.fault?.place?.bytesOfBody.map { $0 - position }
        if cut == 0 { try strike() }
        if case .malformedChunkSize = reply.fault, let size = cut {
            // The malformed size follows a complete chunk.
            rest = rest.prefix(size)
            cut = nil
        }
        if framing == .chunked { try put("\(String(rest.count, radix: 16))\r\n".utf8) }
        if let cut, cut > 0, cut <= rest.count {
            try put(rest.prefix(cut), isContent: true)
            try strike()
            rest = rest.dropFirst(cut)
        }
        try put(rest, isContent: true)
        if framing == .chunked { try put("\r\n".utf8) }
    }

    private static func head(status: Int, reason phrase: String?, headers: HeaderFields) -> [UInt8] {
        Array("HTTP/1.1 \(status) \(phrase ?? reason(for: status))\r\n".utf8) + lines(headers) + "\r\n".utf8
    }

    private static func lines(_ fields: HeaderFields) -> [UInt8] {
        fields.flatMap { "\($0.name): ".utf8 + $0.bytes + "\r\n".utf8 }
    }

    // MARK: Faults

    private mutating func strike(at place: Fault.Place) throws(Line.Break) {
        if reply.fault?.place == place { try strike() }
    }

    private mutating func strike() throws(Line.Break) {
        switch reply.fault {
        case .reset: throw .reset
        case .close: throw .closed
        case .stall: try wait { line throws(Line.Break) in try line.pause(until: nil) }
        case .drip(_, let bytes, let interval): drip = (max(1, bytes), interval)
        case .malformedChunkSize(let text, _):
            try put("\(text)\r\n".utf8)
            throw .closed
        case .garbage, .oversizedHead, nil: break
        }
    }

    // MARK: Bytes

    private mutating func wait(_ pause: (Line) throws(Line.Break) -> Void) throws(Line.Break) {
        recorder.record(request.number) { $0.state = .waiting }
        try pause(line)
        recorder.record(request.number) { $0.state = .replying }
    }

    private mutating func put(_ bytes: String.UTF8View) throws(Line.Break) {
        try put(Array(bytes)[...])
    }

    private mutating func put(_ bytes: [UInt8]) throws(Line.Break) {
        try put(bytes[...])
    }

    private mutating func put(_ bytes: ArraySlice<UInt8>, isContent: Bool = false) throws(Line.Break) {
        var rest = bytes
        while !rest.isEmpty {
            if let drip, hasDripped, drip.interval > .zero {
                try wait { line throws(Line.Break) in try line.pause(until: .now + drip.interval) }
            }
            let part = drip.map { rest.prefix($0.bytes) } ?? rest
            try putAtOnce(part, isContent: isContent)
            hasDripped = drip != nil
            rest = rest[part.endIndex...]
        }
    }

    private mutating func putAtOnce(_ bytes: ArraySlice<UInt8>, isContent: Bool) throws(Line.Break) {
        var rest = bytes
        while !rest.isEmpty {
            let count = try writeSome(of: rest)
            rest = rest.dropFirst(count)
            guard isContent else { continue }
            position += count
            let number = request.number
            recorder.record { journal in
                journal.bytesWritten += count
                journal.requests[number - 1].bytesWritten += count
            }
        }
    }

    private func writeSome(of bytes: ArraySlice<UInt8>) throws(Line.Break) -> Int {
        var wasBlocked = false
        let onBlock = {
            guard !wasBlocked else { return }
            wasBlocked = true
            recorder.record(request.number) { request in
                request.state = .blocked
                request.blockedSince = .now
            }
        }
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(Line.Break) in try line.write(raw, onBlock: onBlock) }
        }
        if wasBlocked, case .success = result {
            recorder.record(request.number) { request in
                request.state = .replying
                request.blockedSince = nil
            }
        }
        return try result.get()
    }
}
