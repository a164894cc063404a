/// The state of a stream whose request is being served.
struct HTTP2Stream: Sendable {
    /// The number of the request in the journal.
    let request: Int
    /// The length of the request's body that its head declares.
    let length: Int?
    /// The number of bytes of content that the server may send; negative after a reduction by the client.
    var sendWindow: Int
    /// The number of bytes that the client may send.
    var receiveWindow: Int
    /// The content that was received and that the intake has not read.
    var unread: [UInt8] = []
    /// The number of bytes of content received.
    var received = 0
    /// The trailer fields received.
    var trailers = HeaderFields()
    /// Whether the client has ended the stream.
    var isRequestComplete = false
    /// Whether the server has ended the stream.
    var isReplyComplete = false
    /// The state of the request, if the stream has been reset or abandoned.
    var end: RecordedRequest.State?
    /// Exists once the exchange has waited; raised at the end of the stream.
    var signal: Signal?

    /// Whether the stream counts among those at once (RFC 9113 section 5.1.2).
    var isOpen: Bool { end == nil && !(isRequestComplete && isReplyComplete) }

    /// Ends the stream, and wakes its exchange.
    mutating func end(_ state: RecordedRequest.State) {
        guard end == nil else { return }
        end = state
        signal?.raise()
    }
}

/// The end of a connection: the state of the requests that were being served, and the way to close the socket.
struct HTTP2End: Sendable {
    let state: RecordedRequest.State
    let closing: ClientConnection.Ending
}

/// The reason why an exchange cannot continue.
enum HTTP2Break: Error {
    /// The stream or the connection has ended, and the request has the state.
    case ended(RecordedRequest.State)
    /// The server resets the stream.
    case resetStream(HTTP2ErrorCode)
    /// The server closes the connection.
    case closeConnection
    /// The server resets the connection.
    case resetConnection
}
