/// The body of a request, as libcurl reads it, and its progress.
struct BodyUpload {
    private let body: HTTPBody
    private var source: (any HTTPBody.Source)?
    private var hasBeenRead = false
    private var hasEnded = false
    private(set) var sent: Int64 = 0
    private var toldSent: Int64 = 0
    /// The number of bytes, if known. Kept after the source is released, for the last progress event.
    private(set) var length: Int64?
    /// Whether the transfer is paused because the source had no bytes.
    private(set) var isPaused = false

    init(_ body: HTTPBody) {
        self.body = body
    }

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
            length = source?.length
        } catch {
            throw TransportFailure(.thrown(error, by: .body))
        }
    }

    /// Copies the next bytes.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
        guard let source else { return .end }
        hasBeenRead = true
        let read = source.read(into: buffer)
        switch read {
        case .bytes(let count):
            sent += Int64(count)
        case .waiting:
            isPaused = true
        case .end:
            hasEnded = true
            if let declared = source.length, declared != sent {
                return .failed(HTTPBody.Failure.lengthMismatch(declared: declared, actual: sent))
            }
        case .failed:
            break
        }
        return read
    }

    /// Records that there are bytes to send again.
    ///
    /// - Returns: Whether the transfer was paused.
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
        sent = 0
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
