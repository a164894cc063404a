/// The state of a connection of HTTP/2, which the reading thread and the threads of the streams share.
struct HTTP2State: Sendable {
    /// The end of the connection; `nil` while it goes on.
    var end: HTTP2End?
    /// Whether a thread writes to the socket, or has the right to.
    var isWriting = false
    /// Frames that the writing thread adds to its own.
    var queue: [UInt8] = []

    /// The number of bytes of content that the server may send on all streams.
    var sendWindow = HTTP2Constants.initialWindow
    /// The client's settings.
    var clientInitialWindow = HTTP2Constants.initialWindow
    var clientMaxFrameSize = HTTP2Constants.maxFrameSize
    /// Whether the next field block must give up the dynamic table, whose size the client has reduced.
    var mustGiveUpTable = false
    private var hasGivenUpTable = false

    /// The window of each new stream for uploads: that of the settings, once the client has acknowledged them.
    var initialReceiveWindow = HTTP2Constants.initialWindow
    /// The number of bytes that the client may send on all streams.
    var receiveWindow: Int
    /// The number of bytes by which the connection's window is to be raised.
    private var owedWindow = 0
    private let fullWindow: Int

    /// The streams whose exchanges run.
    var streams: [Int: HTTP2Stream] = [:]
    /// The streams whose frames are ignored: the client may not yet know that they have ended.
    var ignored: Set<Int> = []
    /// The largest number of a stream that the client has opened.
    var highest = 0
    /// The last stream of the server's GOAWAY.
    var last = HTTP2Constants.maxWindow
    /// Whether the connection is closed when no exchange runs.
    var isDraining = false

    init(window: Int) {
        fullWindow = max(HTTP2Constants.initialWindow, min(window, HTTP2Constants.maxWindow))
        receiveWindow = fullWindow
    }

    /// The number of streams at once.
    var openStreams: Int { streams.values.count { $0.isOpen } }

    /// Returns the end of a stream or of the connection.
    func end(of stream: Int) -> RecordedRequest.State? {
        end?.state ?? streams[stream]?.end
    }
}

// MARK: Settings of the client

extension HTTP2State {
    /// Applies the client's settings (RFC 9113 section 6.5.2).
    mutating func apply(_ settings: [HTTP2Settings.Setting]) throws(HTTP2Violation) {
        for setting in settings {
            let value = Int(setting.value)
            switch setting.identifier {
            case 1: if value < HTTP2Constants.headerTableSize, !hasGivenUpTable { mustGiveUpTable = true }
            case 2:
                guard value <= 1 else { throw HTTP2Violation(.protocolError, "ENABLE_PUSH of \(value)") }
            case 4: try applyInitialWindow(value)
            case 5:
                guard (HTTP2Constants.maxFrameSize...0xFF_FFFF).contains(value) else {
                    throw HTTP2Violation(.protocolError, "MAX_FRAME_SIZE of \(value)")
                }
                clientMaxFrameSize = value
            default: break
            }
        }
    }

    private mutating func applyInitialWindow(_ value: Int) throws(HTTP2Violation) {
        guard value <= HTTP2Constants.maxWindow else {
            throw HTTP2Violation(.flowControlError, "INITIAL_WINDOW_SIZE of \(value)")
        }
        let change = value - clientInitialWindow
        clientInitialWindow = value
        for number in streams.keys {
            let window = (streams[number]?.sendWindow ?? 0) + change
            guard window <= HTTP2Constants.maxWindow else {
                throw HTTP2Violation(.flowControlError, "a window of \(window) on stream \(number)")
            }
            streams[number]?.sendWindow = window
        }
    }

    /// Returns the size update before the next field block, if any.
    mutating func takeSizeUpdate() -> [UInt8] {
        guard mustGiveUpTable else { return [] }
        mustGiveUpTable = false
        hasGivenUpTable = true
        return HPACKEncoder.sizeUpdateToZero
    }
}

// MARK: Windows for the replies

extension HTTP2State {
    /// Raises the window of a stream, or of the connection (RFC 9113 section 6.9.1).
    mutating func raiseWindow(of stream: Int, by increment: Int) throws(HTTP2Violation) {
        let window = (stream == 0 ? sendWindow : streams[stream]?.sendWindow ?? 0) + increment
        guard window <= HTTP2Constants.maxWindow else {
            throw HTTP2Violation(.flowControlError, "a window of \(window)", stream: stream == 0 ? nil : stream)
        }
        if stream == 0 { sendWindow = window } else { streams[stream]?.sendWindow = window }
    }

    /// Takes bytes from the windows for one frame.
    ///
    /// - Returns: The number of bytes, at most `count`; zero if a window is empty.
    mutating func takeWindow(of stream: Int, atMost count: Int) -> Int {
        let taken = max(0, min(count, clientMaxFrameSize, sendWindow, streams[stream]?.sendWindow ?? 0))
        sendWindow -= taken
        streams[stream]?.sendWindow -= taken
        return taken
    }
}

// MARK: Windows for uploads

extension HTTP2State {
    /// Takes the size of a DATA frame from the windows of the connection and of a stream.
    mutating func receive(_ count: Int, on stream: Int) throws(HTTP2Violation) {
        guard count <= receiveWindow else {
            throw HTTP2Violation(.flowControlError, "\(count) bytes in a connection window of \(receiveWindow)")
        }
        receiveWindow -= count
        guard let window = streams[stream]?.receiveWindow else { return }
        guard count <= max(0, window) else {
            throw HTTP2Violation(.flowControlError, "\(count) bytes in a window of \(window) on stream \(stream)")
        }
        streams[stream]?.receiveWindow = window - count
    }

    /// Returns bytes to the connection's window.
    ///
    /// - Returns: The increment to send; `nil` while it is not worth a frame.
    mutating func replenish(_ count: Int) -> Int? {
        owedWindow += count
        guard owedWindow > fullWindow / 2 else { return nil }
        let increment = owedWindow
        owedWindow = 0
        receiveWindow += increment
        return increment
    }

    /// Raises a stream's window so that the client can send a number of bytes, at most the initial window.
    ///
    /// - Returns: The increment to send; `nil` while it is not worth a frame.
    mutating func grant(_ count: Int, to number: Int) -> Int? {
        guard var stream = streams[number], !stream.isRequestComplete, stream.end == nil else { return nil }
        let full = initialReceiveWindow > 0 ? initialReceiveWindow : HTTP2Constants.initialWindow
        let available = stream.receiveWindow + stream.unread.count
        guard available < min(count, (full + 1) / 2) else { return nil }
        let increment = min(count, full) - available
        stream.receiveWindow += increment
        streams[number] = stream
        return increment
    }

    /// Takes received content of a request.
    ///
    /// - Returns: At most `count` bytes, and whether the body ends with them; `nil` if there is neither yet.
    mutating func takeContent(of number: Int, atMost count: Int) -> (bytes: [UInt8], isEnd: Bool)? {
        guard var stream = streams[number] else { return nil }
        guard !stream.unread.isEmpty || stream.isRequestComplete else { return nil }
        let bytes = Array(stream.unread.prefix(count))
        stream.unread.removeFirst(bytes.count)
        streams[number] = stream
        return (bytes, stream.unread.isEmpty && stream.isRequestComplete)
    }

    /// Applies the initial window that the client has acknowledged to all streams.
    mutating func applyOwnInitialWindow(_ value: Int) {
        for number in streams.keys { streams[number]?.receiveWindow += value - initialReceiveWindow }
        initialReceiveWindow = value
    }
}
