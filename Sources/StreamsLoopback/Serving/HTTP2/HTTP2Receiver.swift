/// The reading side of a connection of HTTP/2: it validates the client's frames, and applies them to the session.
struct HTTP2Receiver {
    private let session: HTTP2Session
    private var frames = HTTP2FrameReader()
    private var decoder = HPACKDecoder()
    /// A field block whose end has not been received.
    private var block: FieldBlock?
    private var hasSettings = false
    /// Whether the client has acknowledged the server's settings.
    private var isBound = false

    private struct FieldBlock {
        let stream: Int
        let endsStream: Bool
        var bytes: [UInt8]
    }

    init(_ session: HTTP2Session) {
        self.session = session
        if let size = session.effectiveSettings.headerTableSize { decoder.allow(Int(size)) }
        if let size = session.effectiveSettings.maxFrameSize {
            frames.maxFrameSize = max(Int(size), frames.maxFrameSize)
        }
    }

    /// Receives bytes of the client.
    mutating func receive(_ bytes: ArraySlice<UInt8>) throws(HTTP2Violation) {
        frames.append(bytes)
        while let frame = try frames.next() { try receive(frame) }
    }

    private mutating func receive(_ frame: HTTP2ClientFrame) throws(HTTP2Violation) {
        guard hasSettings || (frame.type == HTTP2FrameType.settings && !frame.has(HTTP2Flag.acknowledgement)) else {
            throw HTTP2Violation(.protocolError, "a frame of type \(frame.type) before SETTINGS")
        }
        if let block, frame.type != HTTP2FrameType.continuation || frame.stream != block.stream {
            throw HTTP2Violation(.protocolError, "a frame of type \(frame.type) within a field block")
        }
        switch frame.type {
        case HTTP2FrameType.data: try receiveData(frame)
        case HTTP2FrameType.headers: try receiveHeaders(frame)
        case HTTP2FrameType.continuation: try receiveContinuation(frame)
        case HTTP2FrameType.priority:
            try verify(frame, isOnStream: true)
            try verify(frame, hasLength: 5)
        case HTTP2FrameType.resetStream: try receiveReset(frame)
        case HTTP2FrameType.settings: try receiveSettings(frame)
        case HTTP2FrameType.pushPromise: throw HTTP2Violation(.protocolError, "a PUSH_PROMISE of a client")
        case HTTP2FrameType.ping: try receivePing(frame)
        case HTTP2FrameType.goAway: try receiveGoAway(frame)
        case HTTP2FrameType.windowUpdate: try receiveWindowUpdate(frame)
        default: break
        }
    }

    private func verify(_ frame: HTTP2ClientFrame, isOnStream: Bool) throws(HTTP2Violation) {
        guard (frame.stream != 0) == isOnStream else {
            throw HTTP2Violation(.protocolError, "a frame of type \(frame.type) on stream \(frame.stream)")
        }
    }

    private func verify(_ frame: HTTP2ClientFrame, hasLength length: Int) throws(HTTP2Violation) {
        guard frame.payload.count == length else {
            throw HTTP2Violation(.frameSizeError, "a frame of type \(frame.type) with \(frame.payload.count) bytes")
        }
    }

    private func verifyIsNotIdle(_ frame: HTTP2ClientFrame) throws(HTTP2Violation) {
        guard frame.stream <= session.withState({ $0.highest }) else {
            throw HTTP2Violation(.protocolError, "a frame of type \(frame.type) on the idle stream \(frame.stream)")
        }
    }

    /// Applies a change to the session's state.
    private func change<Result>(
        _ body: (inout HTTP2State) throws(HTTP2Violation) -> Result
    ) throws(HTTP2Violation) -> Result {
        try session.withState { state in
            Swift.Result { () throws(HTTP2Violation) in try body(&state) }
        }.get()
    }

    /// Ends a stream by its violation, or throws one that ends the connection.
    private func rejectStream(_ violation: HTTP2Violation) throws(HTTP2Violation) {
        guard let stream = violation.stream else { throw violation }
        session.recorder.record { $0.rejections.append(violation.entry) }
        session.reset(stream, violation.code, as: .rejected)
    }
}

// MARK: Frames of the connection

extension HTTP2Receiver {
    private mutating func receiveSettings(_ frame: HTTP2ClientFrame) throws(HTTP2Violation) {
        try verify(frame, isOnStream: false)
        if frame.has(HTTP2Flag.acknowledgement) {
            try verify(frame, hasLength: 0)
            session.recordConnection { $0.frames.append(.settingsAcknowledgement) }
            if !isBound { bindClient() }
            return
        }
        guard frame.payload.count.isMultiple(of: 6) else {
            throw HTTP2Violation(.frameSizeError, "SETTINGS of \(frame.payload.count) bytes")
        }
        let settings = stride(from: 0, to: frame.payload.count, by: 6).map { start in
            HTTP2Settings.Setting(
                UInt16(truncatingIfNeeded: number(frame.payload[start..<(start + 2)])),
                UInt32(truncatingIfNeeded: number(frame.payload[(start + 2)..<(start + 6)])))
        }
        hasSettings = true
        session.recordConnection { $0.frames.append(.settings(settings)) }
        try change { state throws(HTTP2Violation) in try state.apply(settings) }
        if session.settings.acknowledgesSettings {
            session.post(HTTP2Frame.settingsAcknowledgement.bytes(from: 0))
        }
    }

    /// Holds the client to the server's settings, which it has acknowledged.
    private mutating func bindClient() {
        isBound = true
        let settings = session.effectiveSettings
        decoder.limit(to: settings.headerTableSize.map { Int($0) } ?? HTTP2Constants.headerTableSize)
        frames.maxFrameSize = settings.maxFrameSize.map { Int($0) } ?? HTTP2Constants.maxFrameSize
        if let window = settings.initialWindow { session.withState { $0.applyOwnInitialWindow(Int(window)) } }
    }

    private func receivePing(_ frame: HTTP2ClientFrame) throws(HTTP2Violation) {
        try verify(frame, isOnStream: false)
        try verify(frame, hasLength: 8)
        if frame.has(HTTP2Flag.acknowledgement) {
            session.recordConnection { $0.frames.append(.pingAcknowledgement(frame.payload)) }
            return
        }
        session.recordConnection { $0.frames.append(.ping(frame.payload)) }
        guard session.settings.answersPings else { return }
        session.post(HTTP2Frame.ping(frame.payload, isAcknowledgement: true).bytes(from: 0))
    }

    private func receiveGoAway(_ frame: HTTP2ClientFrame) throws(HTTP2Violation) {
        try verify(frame, isOnStream: false)
        guard frame.payload.count >= 8 else {
            throw HTTP2Violation(.frameSizeError, "GOAWAY of \(frame.payload.count) bytes")
        }
        let last = number(frame.payload.prefix(4)) & HTTP2Constants.maxWindow
        let code = errorCode(frame.payload[4..<8])
        let debugData = Array(frame.payload.dropFirst(8))
        session.recordConnection { $0.frames.append(.goAway(last: last, code, debugData: debugData)) }
    }

    private func receiveWindowUpdate(_ frame: HTTP2ClientFrame) throws(HTTP2Violation) {
        try verify(frame, hasLength: 4)
        try verifyIsNotIdle(frame)
        let increment = number(frame.payload) & HTTP2Constants.maxWindow
        guard increment > 0 else { throw HTTP2Violation(.protocolError, "a WINDOW_UPDATE of 0") }
        // Recorded before the reply can go on, so that a test that has the reply finds it.
        if frame.stream == 0 { session.recordConnection { $0.windowIncrements += increment } }
        if let request = session.withState({ $0.streams[frame.stream]?.request }) {
            session.recorder.record(request) { $0.window = ($0.window ?? 0) + increment }
        }
        do throws(HTTP2Violation) {
            try change { state throws(HTTP2Violation) in try state.raiseWindow(of: frame.stream, by: increment) }
        } catch {
            try rejectStream(error)
        }
    }

    private func errorCode(_ bytes: some Sequence<UInt8>) -> HTTP2ErrorCode {
        HTTP2ErrorCode(rawValue: UInt32(truncatingIfNeeded: number(bytes)))
    }
}

// MARK: Frames of a stream

extension HTTP2Receiver {
    private func receiveReset(_ frame: HTTP2ClientFrame) throws(HTTP2Violation) {
        try verify(frame, isOnStream: true)
        try verify(frame, hasLength: 4)
        try verifyIsNotIdle(frame)
        let code = errorCode(frame.payload)
        session.recordConnection { $0.frames.append(.resetStream(frame.stream, code)) }
        let request = session.withState { state in
            state.streams[frame.stream]?.end(.disconnected)
            // Frames that the client sends after its own reset are a violation.
            state.ignored.remove(frame.stream)
            return state.streams[frame.stream]?.request
        }
        if let request { session.recorder.record(request) { $0.resetCode = code } }
    }

    private mutating func receiveHeaders(_ frame: HTTP2ClientFrame) throws(HTTP2Violation) {
        guard !frame.stream.isMultiple(of: 2) else {
            throw HTTP2Violation(.protocolError, "HEADERS on stream \(frame.stream)")
        }
        block = FieldBlock(
            stream: frame.stream, endsStream: frame.has(HTTP2Flag.endStream), bytes: Array(try frame.content()))
        if frame.has(HTTP2Flag.endHeaders) { try receiveFields() } else { try verifyBlockSize() }
    }

    private mutating func receiveContinuation(_ frame: HTTP2ClientFrame) throws(HTTP2Violation) {
        guard block != nil else { throw HTTP2Violation(.protocolError, "CONTINUATION without HEADERS") }
        block?.bytes += frame.payload
        try verifyBlockSize()
        if frame.has(HTTP2Flag.endHeaders) { try receiveFields() }
    }

    private func verifyBlockSize() throws(HTTP2Violation) {
        guard let block, block.bytes.count <= session.headLimit else {
            throw HTTP2Violation(.enhanceYourCalm, "a field block of more than \(session.headLimit) bytes")
        }
    }

    private mutating func receiveFields() throws(HTTP2Violation) {
        try verifyBlockSize()
        guard let block else { return }
        self.block = nil
        // Also if the stream is ignored, since the block changes the table.
        let fields = try decoder.decode(block.bytes)
        do throws(HTTP2Violation) {
            switch try change({ state throws(HTTP2Violation) in try purpose(of: block, state: &state) }) {
            case .request:
                let head = try HTTP2RequestHead(fields, stream: block.stream)
                if block.endsStream, let length = head.length, length > 0 {
                    throw HTTP2Violation(.protocolError, "no body, not \(length) bytes", stream: block.stream)
                }
                session.serve(head, on: block.stream, isComplete: block.endsStream)
            case .trailers:
                let trailers = try HTTP2RequestHead.headers(fields, stream: block.stream)
                try change { state throws(HTTP2Violation) in
                    try state.complete(block.stream, trailers: trailers)
                }
            case .nothing: session.recordConnection { $0.ignoredStreams.append(block.stream) }
            case .refusal: try refuse(block.stream)
            case .late: break
            }
        } catch {
            try rejectStream(error)
        }
    }

    /// The purpose of a field block.
    private enum Purpose {
        case request
        case trailers
        /// A request after the server's GOAWAY.
        case nothing
        /// A request above the number of streams at once.
        case refusal
        /// A part of a request whose stream the server has reset.
        case late
    }

    private func purpose(
        of block: FieldBlock, state: inout HTTP2State
    ) throws(HTTP2Violation) -> Purpose {
        let number = block.stream
        if number > state.highest {
            state.highest = number
            if number > state.last {
                state.ignored.insert(number)
                return .nothing
            }
            let limit = session.effectiveSettings.maxConcurrentStreams.map { Int($0) } ?? .max
            return state.openStreams < limit ? .request : .refusal
        }
        if state.ignored.contains(number) { return .late }
        guard let stream = state.streams[number], !stream.isRequestComplete, stream.end != .disconnected else {
            throw HTTP2Violation(.streamClosed, "HEADERS on the closed stream \(number)")
        }
        if stream.end != nil { return .late }
        guard block.endsStream else {
            throw HTTP2Violation(.protocolError, "trailers without the end of the stream", stream: number)
        }
        return .trailers
    }

    /// Refuses a stream. Before the acknowledgement of the settings, the client is not at fault.
    private func refuse(_ stream: Int) throws(HTTP2Violation) {
        session.recordConnection { $0.refusedStreams.append(stream) }
        if isBound { throw HTTP2Violation(.refusedStream, "too many streams at once", stream: stream) }
        session.reset(stream, .refusedStream, as: .stopped)
    }

    private func receiveData(_ frame: HTTP2ClientFrame) throws(HTTP2Violation) {
        try verify(frame, isOnStream: true)
        try verifyIsNotIdle(frame)
        let content = try frame.content()
        let size = frame.payload.count
        do throws(HTTP2Violation) {
            let isKept = try change { state throws(HTTP2Violation) in
                try state.receive(size, on: frame.stream)
                return try state.receive(content, on: frame.stream, endsStream: frame.has(HTTP2Flag.endStream))
            }
            let isOwed = isKept && session.settings.replenishing == .onReading
            session.replenish(isOwed ? size - content.count : size)
        } catch {
            try rejectStream(error)
        }
    }
}

// MARK: Content

extension HTTP2State {
    /// Receives content of a request.
    ///
    /// - Returns: Whether the stream keeps it for its intake.
    fileprivate mutating func receive(
        _ content: ArraySlice<UInt8>, on number: Int, endsStream: Bool
    ) throws(HTTP2Violation) -> Bool {
        if ignored.contains(number) { return false }
        guard var stream = streams[number], !stream.isRequestComplete, stream.end != .disconnected else {
            throw HTTP2Violation(.streamClosed, "DATA on the closed stream \(number)")
        }
        guard stream.end == nil else { return false }
        stream.received += content.count
        // Before anything is stored: a reply must not begin with content that is rejected.
        if let length = stream.length, stream.received > length {
            throw HTTP2Violation(.protocolError, "more content than \(length) bytes", stream: number)
        }
        stream.unread += content
        streams[number] = stream
        if endsStream { try complete(number, trailers: [:]) }
        return true
    }

    /// Ends a request.
    fileprivate mutating func complete(_ number: Int, trailers: HeaderFields) throws(HTTP2Violation) {
        guard var stream = streams[number] else { return }
        if let length = stream.length, stream.received != length {
            throw HTTP2Violation(
                .protocolError, "content of \(stream.received) bytes, not \(length)", stream: number)
        }
        stream.trailers = trailers
        stream.isRequestComplete = true
        streams[number] = stream
    }
}
