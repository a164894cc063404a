import StreamsHTTP

/// The peer of a WebSocket: follows its script, and answers the client's control frames. It has neither threads nor
/// timers.
struct SocketPeer {
    enum Action {
        case send(Data)
        case wait(Duration)
        case answer(@Sendable (WebSocket.Message) -> [MockResponse.WebSocketStep], WebSocket.Message)
        case end(TransportEvent)
    }

    private var steps: [MockResponse.WebSocketStep]
    private var reader = ClientFrameReader()
    /// The answers to the client's pings.
    private var pongs: [Data] = []
    /// The messages that no step has received.
    private var unreceived: [WebSocket.Message] = []
    private var answersControlFrames = true
    private var isWaiting = false
    private var hasSentClose = false
    /// The code of the client's close frame.
    private var closeCode: WebSocketCloseCode?

    init(_ steps: [MockResponse.WebSocketStep]) {
        self.steps = steps
    }

    /// Receives bytes of the client.
    ///
    /// - Returns: The messages and control frames that they complete.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(WebSocketViolation) -> [FrameReader.Item] {
        let items = try reader.read(bytes)
        for item in items {
            switch item {
            case .message(let message): unreceived.append(message)
            case .ping(let payload): if answersControlFrames { pongs.append(payload) }
            case .pong: break
            case .close(let code, _): closeCode = code
            }
        }
        return items
    }

    /// Ends a wait.
    mutating func resume() {
        isWaiting = false
    }

    /// Adds steps before those that are left.
    mutating func insert(_ steps: [MockResponse.WebSocketStep]) {
        self.steps.insert(contentsOf: steps, at: 0)
    }

    /// Returns the next action; `nil` if the peer has to wait for the client or a timer.
    mutating func nextAction() -> Action? {
        if !pongs.isEmpty { return .send(Self.frame(.pong, pongs.removeFirst())) }
        // Messages before a close frame are still answered.
        guard !isWaiting, let step = steps.first, !waits(step) else { return closeCode.flatMap { close($0) } }
        steps.removeFirst()
        switch step {
        case .send(.text(let text)): return .send(Self.frame(.text, Data(text.utf8)))
        case .send(.binary(let content)): return .send(Self.frame(.binary, content))
        case .ping: return .send(Self.frame(.ping, Data()))
        case .bytes(let bytes): return .send(bytes)
        case .wait(let duration):
            isWaiting = true
            return .wait(duration)
        case .answer(let answer): return .answer(answer, unreceived.removeFirst())
        case .stopAnswering:
            answersControlFrames = false
            return nextAction()
        case .close(let code, let reason):
            steps = []
            hasSentClose = true
            return .send(Self.closeFrame(code, reason))
        case .drop: return .end(.finished)
        case .fail(let reason): return .end(.failed(TransportFailure(reason)))
        }
    }

    /// Whether a step is to wait for the client, or would wait although the client has sent its close frame.
    private func waits(_ step: MockResponse.WebSocketStep) -> Bool {
        switch step {
        case .answer: unreceived.isEmpty
        case .wait: closeCode != nil
        case .send, .ping, .bytes, .stopAnswering, .close, .drop, .fail: false
        }
    }

    /// Answers the client's close frame, and then ends the connection.
    private mutating func close(_ code: WebSocketCloseCode) -> Action? {
        if hasSentClose { return .end(.finished) }
        guard answersControlFrames else { return nil }
        hasSentClose = true
        return .send(Self.closeFrame(code, ""))
    }

    private static func closeFrame(_ code: WebSocketCloseCode, _ reason: String) -> Data {
        guard code != .noCode else { return frame(.close, Data()) }
        return frame(.close, Data([UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(reason.utf8)))
    }

    /// Returns a frame of a server, which is not masked.
    private static func frame(_ kind: FrameKind, _ payload: Data) -> Data {
        let header = FrameHeader(kind, length: payload.count)
        var frame = Data(count: header.size)
        frame.withUnsafeMutableBytes { _ = header.write(to: $0) }
        return frame + payload
    }
}
