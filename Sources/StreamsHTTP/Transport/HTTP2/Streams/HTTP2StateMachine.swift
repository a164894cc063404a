/// A connection by HTTP/2 and its streams (RFC 9113): bytes that came become events, and what is to be sent becomes bytes.
///
/// It is a value without sockets, threads and timers. Its owner sends ``output``, passes on what the server has sent, and
/// ends the connection after an error, with the `GOAWAY` that ``end(_:)`` writes.
struct HTTP2StateMachine {
    typealias StreamID = HTTP2Frame.StreamID

    /// An event of the connection, for its owner. Bytes are valid until the next call.
    enum Event {
        /// An informational head (1xx), and its size with its frames.
        case informational(StreamID, HTTPStatus, size: Int)
        /// The final head, and its size with its frames. If it is the last, the response has no content.
        case head(StreamID, HTTPResponse<Void>, size: Int, isLast: Bool)
        /// Content, which may be empty.
        case content(StreamID, UnsafeRawBufferPointer, isLast: Bool)
        /// The fields after the content, which end the response.
        case trailers(StreamID, HTTPHeaders)
        /// The server has ended the stream without a complete response.
        case reset(StreamID, HTTP2Error.Code)
        /// The response breaks the rules, and the stream has been reset.
        case failed(StreamID, TransportFailure)
        /// A stream may have room for more content; `nil` for all.
        case roomToSend(StreamID?)
        /// The number of streams that may be open at once may have grown.
        case roomForStreams
        /// The server opens no more streams. Those listed have not been processed, and do not exist any more.
        case goAway(unprocessed: [StreamID], HTTP2Error.Code)
        /// The server has answered a ping.
        case pong
    }

    /// The window of each stream at first, in bytes.
    static let initialWindow = 64 * 1024
    /// The window of the connection. What streams may hold is bounded by their own windows, so this one is topped up as
    /// bytes arrive: a stream that waits for its subscriber holds up no other.
    private static let connectionWindow = 1 << 30
    /// The maximum size of an encoded field block in bytes.
    private static let maxBlockSize = 1 << 20
    /// The number of streams at once until the server's settings have come, if nothing is known of the server.
    private static let presumedStreamCount = 100
    private static let lastStreamID: StreamID = 0x7FFF_FFFF

    private var reader = HTTP2FrameReader()
    private var writer = HTTP2FrameWriter()
    private var encoder = FieldBlockEncoder()
    private var decoder = FieldBlockDecoder()
    private var floodGuard: HTTP2FloodGuard
    private var streams: [StreamID: HTTP2Stream] = [:]
    private var nextID: StreamID = 1
    private(set) var maxStreamCount: Int
    /// Whether the server's settings have come.
    private(set) var hasSettings = false
    /// The first frames of a field block, until its last one comes.
    private var block: (bytes: [UInt8], frameCount: Int, isLast: Bool)?
    private var sendWindow = 65_535
    private var initialSendWindow = 65_535
    private var maxFrameSize = HTTP2FrameReader.maxPayloadSize
    private var receiveWindow = connectionWindow
    /// The number of bytes that the server may still send on streams that the client has ended: they may have been under
    /// way, and are no flood.
    private var abandonedWindow = 0
    /// Whether the windows of all streams have grown, which the owner has not been told yet.
    private var hasMoreRoom = false
    /// Whether no more streams can be opened.
    private(set) var isLeaving = false

    /// Begins a connection.
    ///
    /// - Parameter streamCount: The number of streams at once on another connection to the server; `nil` if unknown.
    init(presuming streamCount: Int? = nil, now: MonotonicTime) {
        maxStreamCount = max(streamCount ?? Self.presumedStreamCount, 1)
        floodGuard = HTTP2FloodGuard(now: now)
        writer.writePreface()
        writer.writeSettings([
            (.enablePush, 0), (.maxConcurrentStreams, 0), (.initialWindowSize, UInt32(Self.initialWindow)),
            (.maxHeaderListSize, UInt32(Self.maxBlockSize)),
        ])
        writer.writeWindowUpdate(0, UInt32(Self.connectionWindow - 65_535))
    }

    /// The number of open streams.
    var streamCount: Int { streams.count }

    /// Whether a stream can be opened now.
    var hasRoom: Bool { !isLeaving && streams.count < maxStreamCount }

    /// The number of bytes that are to be sent.
    var unsentSize: Int { writer.bytes.count }

    /// Takes the bytes that are to be sent.
    mutating func takeOutput() -> [UInt8] {
        floodGuard.noteOutput()
        return writer.take()
    }
}

// MARK: Requests

extension HTTP2StateMachine {
    /// Opens a stream, and writes the head of its request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - hasContent: Whether content follows.
    ///   - length: The length of the content; `nil` if it is unknown, or without content.
    /// - Returns: The stream, and the size of the head in bytes; `nil` if there is no room.
    mutating func open(
        _ request: TransportRequest, hasContent: Bool, length: Int64?
    ) -> (stream: StreamID, headSize: Int)? {
        guard hasRoom else { return nil }
        let stream = nextID
        nextID += 2
        if nextID > Self.lastStreamID { isLeaving = true }
        streams[stream] = HTTP2Stream(request, hasContent: hasContent, sendWindow: initialSendWindow)
        let before = writer.bytes.count
        let block = HTTP2RequestFields(request, hasContent: hasContent, length: length).block(&encoder)
        writer.writeHeaders(stream, block, isLast: !hasContent, maxSize: maxFrameSize)
        return (stream, writer.bytes.count - before)
    }

    /// Returns the number of bytes of content that can be written for a stream in one frame.
    func room(of stream: StreamID) -> Int {
        guard let state = streams[stream], !state.isRequestOver else { return 0 }
        return max(min(state.sendWindow, sendWindow, maxFrameSize), 0)
    }

    /// Writes content of a request, which ``room(of:)`` has room for.
    mutating func write(_ content: UnsafeRawBufferPointer, to stream: StreamID, isLast: Bool) {
        guard let state = streams[stream], !state.isRequestOver else { return }
        streams[stream]?.send(content.count, isLast: isLast)
        sendWindow -= content.count
        floodGuard.noteUpload(of: content.count)
        writer.writeData(stream, content, isLast: isLast)
    }

    /// Ends a stream whose response is not wanted any more.
    mutating func cancel(_ stream: StreamID) {
        end(stream, .cancel)
    }

    /// Lets the server send content of a response up to a number of bytes from now on. A window cannot shrink, and grows
    /// in steps, of which a small response needs none. So the owner calls this after each event of content, too, with
    /// what is left.
    mutating func allow(_ count: Int, on stream: StreamID) {
        guard let increment = streams[stream]?.growWindow(to: count) else { return }
        writer.writeWindowUpdate(stream, increment)
    }

    /// Asks the server for a sign of life, which is ``Event/pong``.
    mutating func ping() {
        writer.writePing(0, isAcknowledgement: false)
    }

    /// Ends the connection after an error, of which the server is told.
    mutating func end(_ error: HTTP2Error) {
        isLeaving = true
        writer.writeGoAway(error.code)
    }

    /// Removes a stream, and tells the server.
    private mutating func end(_ stream: StreamID, _ code: HTTP2Error.Code) {
        guard let state = streams.removeValue(forKey: stream) else { return }
        // A head and trailers may be under way, and content up to the window.
        floodGuard.noteWork()
        abandonedWindow += max(state.receiveWindow, 0)
        writer.writeReset(stream, code)
    }
}

// MARK: Responses

extension HTTP2StateMachine {
    /// Handles the server's frames up to the next event.
    ///
    /// - Parameters:
    ///   - input: The bytes that came, without what was consumed before. Those that are consumed are removed.
    ///   - now: The time.
    /// - Returns: The event; `nil` if more bytes are needed.
    mutating func next(
        _ input: inout UnsafeRawBufferPointer, now: MonotonicTime
    ) throws(HTTP2Error) -> Event? {
        if hasMoreRoom {
            hasMoreRoom = false
            return .roomToSend(nil)
        }
        while true {
            do throws(HTTP2Error) {
                guard let frame = try reader.next(&input) else { return nil }
                if let event = try handle(frame, now: now) { return event }
            } catch {
                if let event = try fail(by: error, now: now) { return event }
            }
        }
    }

    /// Ends the stream of an error.
    ///
    /// - Returns: The event of its end; `nil` if it does not exist any more.
    private mutating func fail(by error: HTTP2Error, now: MonotonicTime) throws(HTTP2Error) -> Event? {
        guard hasSettings, let stream = error.stream else { throw HTTP2Error(error.code, error.text) }
        guard try isOpen(stream, now: now) else { return nil }
        end(stream, error.code)
        return .failed(stream, TransportFailure(error))
    }

    /// Returns whether the stream of a frame is open. Frames of one that has ended may have been under way, and are ignored
    /// (RFC 9113, section 5.1), but counted.
    private mutating func isOpen(
        _ stream: StreamID, contentSize: Int = 0, now: MonotonicTime
    ) throws(HTTP2Error) -> Bool {
        if streams[stream] != nil { return true }
        // A server opens no streams, since it must not push (RFC 9113, sections 5.1.1 and 6.6).
        guard stream % 2 == 1, stream < nextID else {
            throw HTTP2Error(.protocolError, "a frame has the number of a stream that was not opened")
        }
        if contentSize > 0, contentSize <= abandonedWindow {
            abandonedWindow -= contentSize
        } else {
            try floodGuard.count(now: now)
        }
        return false
    }

    private mutating func handle(_ frame: HTTP2Frame, now: MonotonicTime) throws(HTTP2Error) -> Event? {
        if !hasSettings {
            guard case .settings = frame else { throw HTTP2Error(.protocolError, "the first frame is not SETTINGS") }
        }
        switch frame {
        case .data(let stream, let content, let size, let isLast):
            return try receive(content, size: size, on: stream, isLast: isLast, now: now)
        case .headers(let stream, let part, let endsBlock, let isLast):
            block = (Array(part), 1, isLast)
            return try endsBlock ? receiveBlock(on: stream, now: now) : nil
        case .continuation(let stream, let part, let endsBlock):
            try floodGuard.count(now: now)
            block?.bytes += part
            block?.frameCount += 1
            guard block?.bytes.count ?? 0 <= Self.maxBlockSize else {
                throw HTTP2Error(.enhanceYourCalm, "a field block is too large")
            }
            return try endsBlock ? receiveBlock(on: stream, now: now) : nil
        case .reset(let stream, let code):
            // The client determines how many streams can be reset.
            guard try isOpen(stream, now: now) else { return nil }
            streams[stream] = nil
            return .reset(stream, code)
        case .settings(let settings):
            try floodGuard.count(now: now)
            return try apply(settings)
        case .ping(let data):
            try floodGuard.count(now: now)
            try floodGuard.countAnswer()
            writer.writePing(data, isAcknowledgement: true)
            return nil
        case .pingAcknowledgement:
            try floodGuard.count(now: now)
            return .pong
        case .goAway(let last, let code):
            try floodGuard.count(now: now)
            return leave(after: last, code)
        case .windowUpdate(let stream, let increment):
            return try growSendWindow(of: stream, by: increment, now: now)
        case .pushPromise:
            throw HTTP2Error(.protocolError, "a stream is pushed although the settings forbid it")
        case .settingsAcknowledgement, .ignored:
            try floodGuard.count(now: now)
            return nil
        }
    }

    private mutating func receive(
        _ content: UnsafeRawBufferPointer, size: Int, on stream: StreamID, isLast: Bool, now: MonotonicTime
    ) throws(HTTP2Error) -> Event? {
        receiveWindow -= size
        guard receiveWindow >= 0 else { throw HTTP2Error(.flowControlError, "the connection's window is exceeded") }
        if receiveWindow <= Self.connectionWindow / 4 * 3 {
            writer.writeWindowUpdate(0, UInt32(Self.connectionWindow - receiveWindow))
            receiveWindow = Self.connectionWindow
        }
        guard try isOpen(stream, contentSize: size, now: now) else { return nil }
        if content.isEmpty, !isLast { try floodGuard.count(now: now) } else { floodGuard.noteWork() }
        do throws(HTTP2StreamError) {
            try streams[stream]?.receive(content: content.count, size: size, isLast: isLast)
            if isLast { finish(stream) }
            return .content(stream, content, isLast: isLast)
        } catch {
            return fail(stream, by: error)
        }
    }

    /// Handles a whole field block.
    private mutating func receiveBlock(on stream: StreamID, now: MonotonicTime) throws(HTTP2Error) -> Event? {
        guard let (bytes, frameCount, isLast) = block.take() else { return nil }
        // The fields of other streams depend on the table, so that those of a stream that has ended are decoded, too.
        let limits = streams[stream]?.request.headLimits ?? RequestOptions.HeadLimits()
        var result: Result<[HTTPHeaders.Field]?, HTTP2Error> = .success(nil)
        bytes.withUnsafeBytes { bytes in
            result = Result { () throws(HTTP2Error) in try decoder.decode(bytes, limits: limits) }
        }
        let fields = try result.get()
        guard try isOpen(stream, now: now) else { return nil }
        do throws(HTTP2StreamError) {
            guard let message = try streams[stream]?.receive(fields, isLast: isLast) else { return nil }
            if isLast { finish(stream) }
            let size = bytes.count + frameCount * HTTP2FrameReader.headerSize
            switch message {
            // Their number is limited.
            case .informational(let status): return .informational(stream, status, size: size)
            case .head(let head):
                floodGuard.noteWork()
                return .head(stream, head, size: size, isLast: isLast)
            case .trailers(let trailers): return .trailers(stream, trailers)
            }
        } catch {
            return fail(stream, by: error)
        }
    }

    /// Ends a stream whose response breaks the rules.
    private mutating func fail(_ stream: StreamID, by error: HTTP2StreamError) -> Event {
        end(stream, error.code)
        return .failed(stream, TransportFailure(error.reason))
    }

    /// Removes a stream whose response is complete. A server that has answered does not need the rest of the request.
    private mutating func finish(_ stream: StreamID) {
        guard let state = streams.removeValue(forKey: stream), !state.isRequestOver else { return }
        writer.writeReset(stream, .cancel)
    }
}

// MARK: The connection

extension HTTP2StateMachine {
    private mutating func apply(_ settings: [(HTTP2Setting, UInt32)]) throws(HTTP2Error) -> Event? {
        try floodGuard.countAnswer()
        // Without a limit, a server has none.
        if !hasSettings { maxStreamCount = .max }
        hasSettings = true
        var window: Int?
        for (setting, value) in settings {
            switch setting {
            case .headerTableSize: encoder.setMaxTableSize(Int(value))
            case .maxConcurrentStreams: maxStreamCount = Int(value)
            // Only the last one, since each costs as much as there are streams.
            case .initialWindowSize: window = Int(value)
            case .maxFrameSize: maxFrameSize = Int(value)
            default: break
            }
        }
        if let window { try setInitialSendWindow(window) }
        writer.writeSettingsAcknowledgement()
        return .roomForStreams
    }

    private mutating func setInitialSendWindow(_ size: Int) throws(HTTP2Error) {
        let growth = size - initialSendWindow
        initialSendWindow = size
        if growth > 0 { hasMoreRoom = true }
        // The keys themselves would share the streams' memory, so that it would be copied.
        for stream in Array(streams.keys) {
            guard streams[stream]?.growSendWindow(by: growth) ?? true else {
                throw HTTP2Error(.flowControlError, "a setting makes the window of a stream too large")
            }
        }
    }

    private mutating func growSendWindow(
        of stream: StreamID, by increment: Int, now: MonotonicTime
    ) throws(HTTP2Error) -> Event? {
        guard stream != 0 else {
            try floodGuard.count(now: now)
            sendWindow += increment
            guard sendWindow <= HTTP2FrameReader.maxWindowSize else {
                throw HTTP2Error(.flowControlError, "the connection's window is larger than 2,147,483,647 bytes")
            }
            return .roomToSend(nil)
        }
        guard try isOpen(stream, now: now) else { return nil }
        try floodGuard.count(now: now)
        guard streams[stream]?.growSendWindow(by: increment) ?? true else {
            return fail(stream, by: HTTP2StreamError(.flowControlError, .frame))
        }
        return .roomToSend(stream)
    }

    /// Opens no more streams, and removes those that the server will not process.
    private mutating func leave(after last: StreamID, _ code: HTTP2Error.Code) -> Event {
        isLeaving = true
        let unprocessed = streams.keys.filter { $0 > last }.sorted()
        for stream in unprocessed { streams[stream] = nil }
        return .goAway(unprocessed: unprocessed, code)
    }
}
