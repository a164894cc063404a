/// One connection of a WebSocket, from the request on: what is read, how the peer is kept alive, and how it is closed.
///
/// It has neither threads nor timers. Its owner passes on what is received, and asks for the time of the next reminder.
struct WebSocketSession {
    private enum ReadyState {
        case opening
        case open
        /// A close frame is sent. The connection ends when the peer has closed it, or has taken too long.
        case closing
    }

    let upgrade: WebSocketUpgrade
    private let options: WebSocketOptions
    private var readyState = ReadyState.opening
    private var reader: FrameReader?
    /// The bytes that have been received and not been read.
    private var unread = Data()
    /// The code and the reason of the peer's close frame.
    private var peerClosing: (code: WebSocketCloseCode, reason: String)?
    /// The reason for which this side has closed the connection.
    private var violation: HTTPError.Reason?
    /// The time until the next reminder, if it is to be set.
    private var nextReminder: Duration?
    /// The time at which something was received last.
    private var lastReceipt = Duration.zero
    /// Whether a ping has not been answered.
    private var awaitsPong = false
    /// The number of bytes of messages that had been sent at the last reminder.
    private var sentCount = 0

    init(_ options: WebSocketOptions) {
        self.options = options
        upgrade = WebSocketUpgrade(
            handshake: OpeningHandshake(
                subprotocols: options.subprotocols, offersCompression: options.offersCompression),
            frames: FrameQueue())
    }

    var isOpen: Bool { readyState == .open }
    var isClosing: Bool { readyState == .closing }
    /// Whether bytes have been received that have not been read.
    var hasUnread: Bool { !unread.isEmpty }
}

// MARK: Opening and closing

extension WebSocketSession {
    /// Opens the connection.
    ///
    /// - Returns: The subprotocol that the server has chosen.
    mutating func open(_ head: HTTPResponse<Void>, now: Duration) throws(HTTPError.Reason) -> String? {
        let agreement = try upgrade.handshake.agreement(head)
        reader = FrameReader(
            maxMessageSize: max(options.maxMessageSize, 0), inflater: agreement.compression.flatMap(\.inflater))
        upgrade.frames.compress(by: agreement.compression.flatMap(\.deflater))
        readyState = .open
        lastReceipt = now
        nextReminder = options.pingInterval
        return agreement.subprotocol
    }

    /// Sends a close frame after the messages that wait.
    mutating func close(_ code: WebSocketCloseCode) {
        guard readyState == .open else { return }
        upgrade.frames.close(code, "")
        beginClosing()
    }

    /// Waits for the peer's close frame from now on.
    mutating func beginClosing() {
        guard readyState == .open else { return }
        readyState = .closing
        nextReminder = options.closeTimeout
        sentCount = upgrade.frames.takenCount
    }

    /// Returns how a connection that was open has ended: by close frames, or by a failure.
    ///
    /// - Parameter failure: The failure of the request, if it has failed.
    func ending(_ failure: HTTPError.Reason?) -> Result<WebSocket.Closing, HTTPError.Reason> {
        if let violation { return .failure(violation) }
        if let peerClosing {
            return .success(
                WebSocket.Closing(
                    code: peerClosing.code, reason: peerClosing.reason, isClean: upgrade.frames.hasSentClose))
        }
        // This side has closed the connection, and the peer has not answered.
        if readyState == .closing { return .success(WebSocket.Closing(code: .noClose, isClean: false)) }
        return .failure(failure ?? .webSocket(.lost))
    }

    /// Ends the sending.
    func end(_ reason: HTTPError.Reason) {
        upgrade.frames.end(violation ?? reason)
    }
}

// MARK: Receiving

extension WebSocketSession {
    mutating func receive(_ chunk: Data, now: Duration) {
        unread = chunk
        lastReceipt = now
        guard awaitsPong else { return }
        awaitsPong = false
        // The timeout of the pong may be longer than the interval.
        if readyState == .open { nextReminder = options.pingInterval }
    }

    /// Returns the next message that has been received whole. Pings are answered, and so is a close frame, after which
    /// nothing is read.
    mutating func next() -> WebSocket.Message? {
        guard peerClosing == nil, violation == nil, reader != nil else {
            unread = Data()
            return nil
        }
        do throws(WebSocketViolation) {
            while let item = try nextItem() {
                switch item {
                case .message(let message): return message
                case .ping(let payload): upgrade.frames.send(pong: payload)
                case .pong: break
                case .close(let code, let reason):
                    peerClosing = (code, reason)
                    upgrade.frames.closeAtOnce(code, .webSocket(.closed(code, reason)))
                    beginClosing()
                    return nil
                }
            }
        } catch {
            let failure = HTTPError.Reason.webSocket(HTTPError.WebSocketFailure(error))
            violation = failure
            upgrade.frames.closeAtOnce(error.code, failure)
            beginClosing()
        }
        return nil
    }

    private mutating func nextItem() throws(WebSocketViolation) -> FrameReader.Item? {
        guard !unread.isEmpty else { return nil }
        var count = 0
        let result = unread.withUnsafeBytes { bytes -> Result<FrameReader.Item?, WebSocketViolation> in
            var input = bytes
            defer { count = bytes.count - input.count }
            return Result { () throws(WebSocketViolation) in try reader?.next(&input) }
        }
        unread = count == unread.count ? Data() : unread.dropFirst(count)
        return try result.get()
    }
}

// MARK: Reminders

extension WebSocketSession {
    /// Takes the time until the next reminder, if it is to be set.
    mutating func takeReminder() -> Duration? { nextReminder.take() }

    /// Pings a peer that has been silent. Fails if it was pinged before, or does not close the connection; ``ending(_:)``
    /// tells the reason then.
    ///
    /// - Parameters:
    ///   - now: The time by the client's clock.
    ///   - isReading: Whether the owner reads what is received. The peer is not heard otherwise.
    mutating func remind(now: Duration, isReading: Bool) throws(HTTPError.Reason) {
        let hasSent = hasSentSinceLastReminder()
        switch readyState {
        case .opening: break
        case .closing:
            // The close frame waits for the messages before it, and so does the peer's answer.
            guard hasSent else { throw violation ?? .webSocket(.lost) }
            nextReminder = options.closeTimeout
        case .open:
            try checkLiveness(now: now, isAlive: !isReading, hasSent: hasSent)
        }
    }

    private mutating func checkLiveness(
        now: Duration, isAlive: Bool, hasSent: Bool
    ) throws(HTTPError.Reason) {
        guard let interval = options.pingInterval else { return }
        if isAlive { (lastReceipt, awaitsPong) = (now, false) }
        if awaitsPong {
            // The ping may be behind a message that the peer is still taking.
            guard hasSent else { throw .timeout(.pong) }
            return nextReminder = options.pongTimeout
        }
        let silence = now - lastReceipt
        guard silence >= interval else { return nextReminder = interval - silence }
        upgrade.frames.sendPing()
        awaitsPong = true
        nextReminder = options.pongTimeout
    }

    private mutating func hasSentSinceLastReminder() -> Bool {
        let count = upgrade.frames.takenCount
        defer { sentCount = count }
        return count > sentCount
    }
}
