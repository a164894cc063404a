/// The way in which a route reads the body of a request.
///
/// If the request has `Expect: 100-continue`, the server sends `100 Continue` when it begins to read. It does not if
/// the reply is sent first (RFC 9110 section 10.1.1).
///
/// Over HTTP/2, the server raises the stream's window as the intake reads, so that a slow one holds the upload back.
/// The client can send the initial window at any time.
public enum Intake: Sendable {
    /// Reads the whole body as fast as possible, then replies.
    case atOnce
    /// Reads the whole body, a number of bytes in each interval, then replies.
    case paced(bytes: Int, every: Duration)
    /// Reads the whole body after the gate has opened, then replies.
    case after(Gate)
    /// Reads a number of bytes, then replies. The rest stays in the socket, and the connection is closed after the
    /// reply, like the connection of a server that aborts an upload.
    ///
    /// Closing a socket with unread bytes resets the connection, and the reset can arrive before the reply. A client
    /// that disconnects is not detected while there are unread bytes, so its request may never count as disconnected.
    ///
    /// Over HTTP/2, the stream is reset with NO_ERROR after the reply (RFC 9113 section 8.1), and the connection goes
    /// on.
    case first(bytes: Int)
    /// Replies, then reads the whole body, so that the connection can be reused. If the client still waits for
    /// `100 Continue`, the connection is closed after the reply; over HTTP/2, the stream is reset with NO_ERROR.
    case afterReply

    /// Reads no byte of the body; equal to `first(bytes: 0)`.
    public static var never: Intake { .first(bytes: 0) }
}
