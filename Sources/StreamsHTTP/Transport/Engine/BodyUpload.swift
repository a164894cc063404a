/// The body of a request, which is read as it is sent, and its progress.
struct BodyUpload {
    private let body: HTTPBody
    private var source: (any HTTPBody.Source)?
    private var hasBeenRead = false
    private var hasEnded = false
    /// Kept after the source is released, for the last progress event.
    private var check = LengthCheck(declared: nil)
    private var toldSent: Int64 = 0
    /// Whether sending is paused because the source had no bytes.
    private(set) var isPaused = false

    init(_ body: HTTPBody) {
        self.body = body
    }

    /// The number of bytes that have been sent.
    var sent: Int64 { check.count }

    /// The number of bytes, if known.
    var length: Int64? { check.declared }

    /// The number of bytes that are left to be sent, or the largest number if it is unknown.
    var remaining: Int { Int(clamping: (length ?? .max) - sent) }

    /// Whether the request has a body.
    var isPresent: Bool { source != nil }

    /// Whether there is nothing left to send.
    var isOver: Bool { source == nil || hasEnded || sent == length }

    /// Opens the body.
    ///
    /// - Parameter onReadable: Called on any thread when a source that had no bytes has bytes again.
    mutating func open(onReadable: @escaping @Sendable () -> Void) throws(TransportFailure) {
        do {
            source = try body.open(onReadable: onReadable)
            check = LengthCheck(declared: source?.length)
        } catch {
            throw TransportFailure(.thrown(error, by: .body))
        }
    }

    /// Copies the next bytes.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
        guard let source else { return .end }
        hasBeenRead = true
        let read = check.checking(source.read(into: buffer))
        switch read {
        case .waiting: isPaused = true
        case .end: hasEnded = true
        case .bytes, .failed: break
        }
        return read
    }

    /// Records that there are bytes to send again.
    ///
    /// - Returns: Whether sending was paused.
    mutating func resume() -> Bool {
        defer { isPaused = false }
        return isPaused
    }

    /// Restarts the body.
    ///
    /// - Returns: Whether it can be sent again.
    mutating func rewind(onReadable: @escaping @Sendable () -> Void) throws(TransportFailure) -> Bool {
        guard hasBeenRead else { return true }
        guard body.isReplayable else { return false }
        cancel()
        try open(onReadable: onReadable)
        hasEnded = false
        isPaused = false
        return true
    }

    /// Returns an event if bytes have been read since the last one.
    mutating func takeProgress() -> TransportEvent? {
        guard sent > toldSent else { return nil }
        toldSent = sent
        return .sent(sent, of: length)
    }

    /// Stops the source.
    func cancel() {
        source?.cancel()
    }

    /// Stops and releases the source.
    mutating func close() {
        cancel()
        source = nil
    }
}

/// The wait of a request's content for 100 (Continue) (RFC 9110, section 10.1.1), or of what is sent by another protocol for
/// 101 (Switching Protocols), however long that takes.
struct ContinueWait {
    /// The time for which content waits at most.
    private static let timeout = Duration.seconds(1)

    /// Whether the content is not sent.
    private(set) var isHolding = false
    /// The end of the wait; `nil` if it is not waited for.
    private(set) var deadline: MonotonicTime?

    /// Creates a wait that is over.
    init() {}

    init(_ request: TransportRequest, hasContent: Bool, now: MonotonicTime) {
        isHolding = hasContent && (request.isUpgrade || request.headers.hasListElement("100-continue", of: "Expect"))
        deadline = isHolding && !request.isUpgrade ? now + Self.timeout : nil
    }

    /// Sends the content from now on, as the server has asked for it.
    mutating func end() {
        (isHolding, deadline) = (false, nil)
    }

    /// Stops waiting without sending the content, since the final response has begun.
    mutating func abandon() {
        deadline = nil
    }

    /// Sends the content from now on if the server has taken too long.
    ///
    /// - Returns: Whether there is content to send now.
    mutating func end(now: MonotonicTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        end()
        return true
    }
}
