/// A request's body on its way into libcurl, and how far it has come.
struct CurlUpload {
    private let body: HTTPBody
    private var source: (any BodySource)?
    private var hasBeenRead = false
    private var sent: Int64 = 0
    private var toldSent: Int64 = 0
    /// The number of bytes where it is known. Outlives the source, for the last that is told of it.
    private(set) var length: Int64?
    /// Whether there was nothing to send, so that libcurl waits.
    private(set) var isPaused = false

    init(_ body: HTTPBody) {
        self.body = body
    }

    /// Whether the request has a body.
    var isPresent: Bool { source != nil }

    /// Opens the body.
    ///
    /// - Parameter onReadable: Called from any thread when a source that had nothing has something again.
    mutating func open(onReadable: @escaping @Sendable () -> Void) throws(TransportFailure) {
        do {
            source = try body.open(onReadable: onReadable)
            length = source?.length
        } catch {
            throw TransportFailure(.body(error))
        }
    }

    /// Copies the next bytes.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
        guard let source else { return .end }
        hasBeenRead = true
        let read = source.read(into: buffer)
        switch read {
        case .bytes(let count):
            sent += Int64(count)
        case .waiting:
            isPaused = true
        case .end:
            if let declared = source.length, declared != sent {
                return .failed(BodyLengthMismatch(declared: declared, actual: sent))
            }
        case .failed:
            break
        }
        return read
    }

    /// Notes that there is something to send again.
    ///
    /// - Returns: Whether libcurl waits for it.
    mutating func resume() -> Bool {
        defer { isPaused = false }
        return isPaused
    }

    /// Starts the body over.
    ///
    /// - Returns: Whether it can be sent again.
    mutating func rewind(onReadable: @escaping @Sendable () -> Void) throws(TransportFailure) -> Bool {
        guard hasBeenRead else { return true }
        guard body.isReplayable else { return false }
        cancel()
        try open(onReadable: onReadable)
        sent = 0
        isPaused = false
        return true
    }

    /// What has been handed over since it was last asked for.
    mutating func takeProgress() -> TransportEvent? {
        guard sent > toldSent else { return nil }
        toldSent = sent
        return .sent(sent, of: length)
    }

    /// Stops the source.
    func cancel() {
        source?.cancel()
    }

    /// Stops the source and lets go of it.
    mutating func close() {
        cancel()
        source = nil
    }
}
