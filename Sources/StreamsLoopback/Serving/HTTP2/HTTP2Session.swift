/// A connection of HTTP/2: its state, its socket, and the threads that share them.
///
/// One thread reads the client's frames. Each stream has a thread for its exchange. A thread that writes to the socket
/// has the sole right to it, and also writes the frames that others have queued meanwhile; so the reading thread never
/// waits for the client to read.
final class HTTP2Session: Sendable {
    let settings: HTTP2Settings
    /// The maximum size of a field block.
    let headLimit: Int
    /// The number of bytes of each request's body that are recorded.
    let recordingLimit: Int
    let connection: Int
    let recorder: Recorder

    /// The settings that the client knows.
    let effectiveSettings: HTTP2Settings

    private let routes: RouteTable
    private let threads: ThreadGroup
    /// The index of the connection in the journal.
    private let record: Int
    private let state: Monitor<HTTP2State>
    /// Raised at the end of the connection.
    private let ended: Signal
    /// The socket for writing, which stops with the connection.
    private let line: Line

    /// Creates a session; `nil` if no descriptors are left.
    init?(_ connection: ClientConnection) {
        guard let ended = Signal() else { return nil }
        let number = connection.number
        self.connection = number
        self.ended = ended
        line = Line(socket: connection.line.socket, stop: ended)
        settings = connection.http2
        effectiveSettings = settings.areSent ? settings : HTTP2Settings()
        headLimit = connection.headLimit
        recordingLimit = connection.recordingLimit
        recorder = connection.recorder
        routes = connection.routes
        threads = connection.threads
        state = Monitor(HTTP2State(window: connection.http2.connectionWindow))
        record = recorder.record { journal in
            journal.http2Connections.append(Journal.HTTP2Connection(number: number))
            return journal.http2Connections.count - 1
        }
    }

    /// Serves until the connection ends.
    ///
    /// - Returns: The way to close the socket.
    func run(_ reader: inout RequestReader) -> ClientConnection.Ending {
        sendSettings()
        var receiver = HTTP2Receiver(self)
        do throws(Line.Break) {
            while !ended.isRaised, let bytes = try reader.nextBytes(atMost: .max, until: nil, or: [ended]) {
                receive(bytes, &receiver)
            }
        } catch {
            end(error.isStop ? .stopped : .disconnected, .abrupt)
        }
        // The exchanges end by themselves, since the connection has ended.
        let end = state.wait { state in state.streams.isEmpty ? state.end : nil }
        recordConnection { $0.isOpen = false }
        return end?.closing ?? .abrupt
    }

    private func sendSettings() {
        var bytes: [UInt8] = []
        if settings.areSent {
            bytes += HTTP2Frame.settings(settings.all).bytes(from: 0)
        }
        let increment = settings.connectionWindow - HTTP2Constants.initialWindow
        if increment > 0 {
            bytes += http2Frame(HTTP2FrameType.windowUpdate, stream: 0, bigEndian(UInt32(clamping: increment)))
        }
        post(bytes)
    }

    private func receive(_ bytes: ArraySlice<UInt8>, _ receiver: inout HTTP2Receiver) {
        do throws(HTTP2Violation) {
            try receiver.receive(bytes)
        } catch {
            let last = state.withLock { $0.highest }
            recorder.record { $0.rejections.append(error.entry) }
            // A client that does not read must not keep the connection open.
            if state.wait(seconds: 1, for: { state in state.takeRightToWrite() }) == true {
                let payload = bigEndian(UInt32(clamping: last)) + bigEndian(error.code.rawValue)
                post(http2Frame(HTTP2FrameType.goAway, stream: 0, payload + Array(error.reason.utf8)))
                release()
            }
            end(.rejected, .gentle)
        }
    }

    // MARK: The end

    /// Ends the connection, unless it has ended.
    func end(_ requestState: RecordedRequest.State, _ closing: ClientConnection.Ending) {
        state.withLock { state in
            if state.end == nil { state.end = HTTP2End(state: requestState, closing: closing) }
        }
        ended.raise()
    }

    // MARK: Observation

    func recordConnection(_ change: (inout Journal.HTTP2Connection) -> Void) {
        let record = record
        recorder.record { journal in change(&journal.http2Connections[record]) }
    }

    /// Changes the state, and records the number of open streams.
    func withState<Result>(_ change: (inout HTTP2State) -> Result) -> Result {
        state.withLock { state in
            let before = state.openStreams
            let result = change(&state)
            let after = state.openStreams
            if before != after {
                recordConnection { connection in
                    connection.openStreams = after
                    connection.maxOpenStreams = max(connection.maxOpenStreams, after)
                }
            }
            return result
        }
    }
}

extension HTTP2State {
    /// Takes the right to write.
    ///
    /// - Returns: `nil` if another thread has it.
    mutating func takeRightToWrite() -> Bool? {
        guard !isWriting else { return nil }
        isWriting = true
        return true
    }
}

extension Line.Break {
    fileprivate var isStop: Bool {
        if case .stopped = self { true } else { false }
    }
}

// MARK: Writing

extension HTTP2Session {
    /// Writes frames as soon as no other thread writes. Does not wait for it.
    func post(_ frames: [UInt8]) {
        let mustWrite = state.withLock { state in
            state.queue += frames
            return state.end == nil && state.takeRightToWrite() == true
        }
        if mustWrite { release() }
    }

    /// Waits for the right to write, for the exchange of a stream.
    func acquire(for stream: Int) throws(HTTP2Break) {
        let result = state.wait { state -> Result<Void, HTTP2Break>? in
            if let end = state.end(of: stream) { return .failure(.ended(end)) }
            return state.takeRightToWrite().map { _ in .success(()) }
        }
        try result?.get()
    }

    /// The permission to send content.
    enum Permission {
        /// The caller has the right to write, and may send a number of bytes.
        case granted(Int)
        /// The client's windows are empty.
        case noWindow
    }

    /// Waits for the right to write content.
    ///
    /// - Parameters:
    ///   - count: The number of bytes to send at most.
    ///   - waitsForWindow: Whether to wait until the client's windows allow at least one byte.
    func acquire(
        for stream: Int, content count: Int, waitsForWindow: Bool
    ) throws(HTTP2Break) -> Permission {
        let result = state.wait { state -> Result<Permission, HTTP2Break>? in
            if let end = state.end(of: stream) { return .failure(.ended(end)) }
            guard !state.isWriting else { return nil }
            let taken = state.takeWindow(of: stream, atMost: count)
            guard taken > 0 || count == 0 else { return waitsForWindow ? nil : .success(.noWindow) }
            state.isWriting = true
            return .success(.granted(taken))
        }
        return try result?.get() ?? .noWindow
    }

    /// Writes bytes. The caller has the right to write.
    func put(_ bytes: [UInt8], onBlock: () -> Void = {}) throws(HTTP2Break) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let result = rest.withUnsafeBytes { raw in
                Result { () throws(Line.Break) in try line.write(raw, onBlock: onBlock) }
            }
            switch result {
            case .success(let count): rest = rest.dropFirst(count)
            case .failure(let error):
                // If the connection has ended, its first reason holds.
                if !error.isStop { end(.disconnected, .abrupt) }
                throw .ended(state.withLock { $0.end?.state } ?? .disconnected)
            }
        }
    }

    /// Writes the queue, and gives up the right to write.
    func release() {
        while true {
            let frames = state.withLock { state -> [UInt8] in
                let frames = state.queue
                state.queue = []
                if frames.isEmpty { state.isWriting = false }
                return frames
            }
            guard !frames.isEmpty else { return }
            // A failure has ended the connection.
            try? put(frames)
        }
    }
}

// MARK: Waiting

extension HTTP2Session {
    /// Waits until a time, `nil` for no limit, or until a gate opens.
    func wait(
        on stream: Int, until deadline: ContinuousClock.Instant?, or gate: Gate? = nil
    ) throws(HTTP2Break) {
        let signal = try signal(of: stream)
        var watches = [signal, ended].map { Watch(descriptor: $0.descriptor, interest: .hangup) }
        var gateSignal: Signal?
        switch gate?.passage() {
        case .free: return
        case .impossible: throw .ended(.stopped)
        case .wait(let signal):
            watches.append(Watch(descriptor: signal.descriptor, interest: .hangup))
            gateSignal = signal
        case nil: break
        }
        let isReady = withExtendedLifetime(gateSignal) { Watch.wait(for: watches, until: deadline) }
        if isReady[0] || isReady[1] {
            throw .ended(state.withLock { $0.end(of: stream) } ?? .stopped)
        }
    }

    /// Returns the signal of a stream's end.
    private func signal(of stream: Int) throws(HTTP2Break) -> Signal {
        let result = state.withLock { state -> Result<Signal, HTTP2Break> in
            if let end = state.end(of: stream) { return .failure(.ended(end)) }
            if let signal = state.streams[stream]?.signal { return .success(signal) }
            guard let signal = Signal() else { return .failure(.ended(.stopped)) }
            state.streams[stream]?.signal = signal
            return .success(signal)
        }
        return try result.get()
    }

    /// Waits for content of a request.
    ///
    /// - Returns: At most `count` bytes, and whether the body ends with them.
    func content(of stream: Int, atMost count: Int) throws(HTTP2Break) -> (bytes: [UInt8], isEnd: Bool) {
        let increment = state.withLock { $0.grant(count, to: stream) }
        if let increment {
            post(http2Frame(HTTP2FrameType.windowUpdate, stream: stream, bigEndian(UInt32(clamping: increment))))
        }
        let result = state.wait { state -> Result<(bytes: [UInt8], isEnd: Bool), HTTP2Break>? in
            if let end = state.end(of: stream) { return .failure(.ended(end)) }
            return state.takeContent(of: stream, atMost: count).map { .success($0) }
        }
        guard let content = try result?.get() else { throw .ended(.stopped) }
        if settings.replenishing == .onReading { replenish(content.bytes.count) }
        return content
    }

    /// Returns whether a request has no body.
    func isEmpty(_ stream: Int) -> Bool {
        state.withLock { state in
            state.streams[stream].map { $0.isRequestComplete && $0.received == 0 && $0.trailers.isEmpty } ?? true
        }
    }

    /// Returns whether the client has ended a stream.
    func isRequestComplete(on stream: Int) -> Bool {
        state.withLock { $0.streams[stream]?.isRequestComplete ?? true }
    }

    /// Returns the trailer fields of a request.
    func trailers(of stream: Int) -> HeaderFields {
        state.withLock { $0.streams[stream]?.trailers ?? [:] }
    }

    /// Returns bytes to the connection's window.
    func replenish(_ count: Int) {
        guard let increment = state.withLock({ $0.replenish(count) }) else { return }
        post(http2Frame(HTTP2FrameType.windowUpdate, stream: 0, bigEndian(UInt32(clamping: increment))))
    }
}

// MARK: Streams

extension HTTP2Session {
    /// Begins the exchange of a request.
    func serve(_ head: HTTP2RequestHead, on stream: Int, isComplete: Bool) {
        let location = head.location
        let (route, turn) = routes.next(method: head.method, path: location.path)
        let connection = connection
        let window = state.withLock { $0.clientInitialWindow }
        let number = recorder.record { journal in
            let number = journal.requests.count + 1
            var request = RecordedRequest(
                number: number, connection: connection, turn: turn, method: head.method, target: head.target,
                path: location.path, query: location.query, version: "HTTP/2", headers: head.headers)
            request.stream = stream
            request.pseudoHeaders = head.pseudoHeaders
            request.window = window
            journal.requests.append(request)
            return number
        }
        withState { state in
            state.streams[stream] = HTTP2Stream(
                request: number, length: head.length, sendWindow: state.clientInitialWindow,
                receiveWindow: state.initialReceiveWindow, isRequestComplete: isComplete)
        }
        let exchange = HTTP2Exchange(self, head, stream: stream, number: number, route: route)
        guard !threads.start({ exchange.run() }) else { return }
        reset(stream, .refusedStream, as: .stopped)
        recorder.record(number) { $0.state = .stopped }
        finish(stream)
    }

    /// Resets a stream.
    func reset(_ stream: Int, _ code: HTTP2ErrorCode, as requestState: RecordedRequest.State) {
        // Before the frame is written, so that the client's next stream is not one too many.
        withState { state in
            state.ignored.insert(stream)
            state.streams[stream]?.end(requestState)
        }
        post(http2Frame(HTTP2FrameType.resetStream, stream: stream, bigEndian(code.rawValue)))
    }

    /// Records that the server has ended a stream, before the frame that ends it is written.
    func endReply(on stream: Int) {
        withState { $0.streams[stream]?.isReplyComplete = true }
    }

    /// Abandons the streams above the last of a GOAWAY, except for the one that sends it.
    func abandonStreams(above last: Int, except sender: Int) {
        withState { state in
            state.last = min(state.last, last)
            for number in state.streams.keys where number > last && number != sender {
                state.streams[number]?.end(.faulted)
            }
        }
    }

    /// Announces the end of the connection, which closes when no exchange runs.
    func drain() {
        let last = withState { state in
            state.isDraining = true
            state.last = min(state.last, state.highest)
            return state.last
        }
        post(
            http2Frame(
                HTTP2FrameType.goAway, stream: 0,
                bigEndian(UInt32(clamping: last)) + bigEndian(HTTP2ErrorCode.noError.rawValue)))
    }

    /// Removes a stream whose exchange has ended.
    func finish(_ stream: Int) {
        let (unread, isDrained) = withState { state in
            let removed = state.streams.removeValue(forKey: stream)
            if let removed, !removed.isRequestComplete, removed.end != .disconnected { state.ignored.insert(stream) }
            return (removed?.unread.count ?? 0, state.isDraining && state.streams.isEmpty)
        }
        if settings.replenishing == .onReading, unread > 0 { replenish(unread) }
        if isDrained { end(.stopped, .gentle) }
    }

    /// Takes the size update before the next field block. The caller has the right to write.
    func takeSizeUpdate() -> [UInt8] {
        state.withLock { $0.takeSizeUpdate() }
    }

    /// The largest payload of a frame that the client accepts.
    var clientMaxFrameSize: Int { state.withLock { $0.clientMaxFrameSize } }
}
