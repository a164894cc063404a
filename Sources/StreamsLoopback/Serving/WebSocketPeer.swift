/// The server's side of a WebSocket: follows its script, and answers the client's control frames.
struct WebSocketPeer {
    private let number: Int
    private let intake: Intake
    private let line: Line
    private let recorder: Recorder
    private var steps: [WebSocketStep]
    private var writer: ReplyWriter
    private var frames = ClientFrameReader()
    /// The message whose frames are being received.
    private var partial: (kind: FrameKind, content: [UInt8])?
    /// The messages that no step has received.
    private var unreceived: [WebSocketMessage] = []
    private var answersControlFrames = true
    private var hasSentClose = false
    /// The payload of the client's close frame.
    private var closing: [UInt8]?
    /// The number of bytes that may still be read.
    private var readLimit: Int
    /// The time before which nothing more is read.
    private var nextRead: ContinuousClock.Instant?
    /// The number of bytes of messages that may still be recorded.
    private var recordingLimit: Int

    init(
        _ steps: [WebSocketStep], of number: Int, intake: Intake, writer: ReplyWriter, line: Line, recorder: Recorder,
        recordingLimit: Int
    ) {
        self.steps = steps
        self.number = number
        self.intake = intake
        self.writer = writer
        self.line = line
        self.recorder = recorder
        self.recordingLimit = recordingLimit
        readLimit = if case .first(let count) = intake { count } else { .max }
    }

    /// Serves until both sides have sent a close frame.
    mutating func run(_ reader: inout RequestReader) throws(Line.Break) {
        // Messages before a close frame are still answered.
        while let step = steps.first, closing == nil || !waits(step) {
            steps.removeFirst()
            try perform(step, &reader)
            while closing == nil, try listen(to: &reader, until: .now) {}
        }
        while closing == nil { try listen(to: &reader) }
        guard answersControlFrames else { return try line.pause(until: nil) }
        if !hasSentClose { try send(.close, (closing ?? []).prefix(2)) }
        recorder.record(number) { $0.state = .replied }
    }

    /// Whether a step takes time.
    private func waits(_ step: WebSocketStep) -> Bool {
        switch step {
        case .pause, .hold, .flood: true
        case .answer: unreceived.isEmpty
        case .send, .ping, .bytes, .stopAnswering, .close, .drop, .reset: false
        }
    }

    private mutating func perform(_ step: WebSocketStep, _ reader: inout RequestReader) throws(Line.Break) {
        switch step {
        case .send(.text(let text)): try send(.text, text.utf8)
        case .send(.binary(let content)): try send(.binary, content)
        case .flood(let count):
            try send(.binary, GeneratedBytes.bytes(0..<max(0, count)))
            steps.insert(step, at: 0)
        case .ping: try send(.ping, [])
        case .bytes(let bytes): try writer.write(unframed: bytes)
        case .pause(let duration):
            let end = ContinuousClock.now + duration
            while closing == nil, ContinuousClock.now < end { try listen(to: &reader, until: end) }
        case .hold(let gate):
            while closing == nil, let signal = try line.signal(of: gate) { try listen(to: &reader, or: signal) }
        case .answer(let answer):
            while closing == nil, unreceived.isEmpty { try listen(to: &reader) }
            if !unreceived.isEmpty { steps.insert(contentsOf: answer(unreceived.removeFirst()), at: 0) }
        case .stopAnswering: answersControlFrames = false
        case .close(let code, let reason):
            try send(.close, (code.map { bigEndian($0) } ?? []) + Array(reason.utf8))
            hasSentClose = true
            steps = []
        case .drop: throw .closed
        case .reset: throw .reset
        }
    }

    private mutating func send(_ kind: FrameKind, _ payload: some Collection<UInt8>) throws(Line.Break) {
        try writer.write(unframed: kind.frame(payload))
    }
}

// MARK: Receiving

extension WebSocketPeer {
    /// Reads once what the client sends, or waits while the intake reads nothing.
    ///
    /// - Returns: Whether bytes were read before the deadline and the signal.
    @discardableResult
    private mutating func listen(
        to reader: inout RequestReader, until deadline: ContinuousClock.Instant? = nil, or signal: Signal? = nil
    ) throws(Line.Break) -> Bool {
        var signals = signal.map { [$0] } ?? []
        var count = readLimit
        switch intake {
        case .after(let gate):
            if let signal = try line.signal(of: gate) {
                signals.append(signal)
                count = 0
            }
        case .paced(let bytes, _):
            if let nextRead, nextRead > .now {
                try line.pause(until: deadline.map { min($0, nextRead) } ?? nextRead, or: signals)
                return false
            }
            count = max(1, bytes)
        case .atOnce, .first, .afterReply: break
        }
        guard count > 0 else {
            try line.pause(until: deadline, or: signals)
            return false
        }
        guard let bytes = try reader.nextBytes(atMost: count, until: deadline, or: signals) else { return false }
        readLimit -= bytes.count
        if case .paced(_, let interval) = intake { nextRead = .now + interval }
        recorder.record(number) { $0.bodyCount += bytes.count }
        frames.append(bytes)
        while closing == nil, let frame = try frames.next() { try receive(frame) }
        return true
    }

    private mutating func receive(_ frame: ClientFrame) throws(Line.Break) {
        switch frame.kind {
        case .ping: if answersControlFrames { try send(.pong, frame.payload) }
        case .pong: break
        case .close:
            closing = frame.payload
            let code = frame.payload.count < 2 ? 1005 : UInt16(frame.payload[0]) << 8 | UInt16(frame.payload[1])
            recorder.record(number) { $0.closeCode = code }
        case .continuation, .text, .binary:
            if partial == nil { partial = (frame.kind, []) }
            partial?.content += frame.payload
            guard frame.isFinal, let (kind, content) = partial else { return }
            partial = nil
            receive(kind == .text ? .text(String(decoding: content, as: UTF8.self)) : .binary(content), content.count)
        }
    }

    private mutating func receive(_ message: WebSocketMessage, _ count: Int) {
        unreceived.append(message)
        let isRecorded = count <= recordingLimit
        if isRecorded { recordingLimit -= count }
        recorder.record(number) { request in
            request.messageCount += 1
            if isRecorded { request.messages.append(message) }
        }
    }
}
