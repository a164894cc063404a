/// How a route takes in the body of a request.
///
/// Where the request says `Expect: 100-continue`, the server answers `100 Continue` when it begins to read, and not at
/// all when the reply comes first (RFC 9110 section 10.1.1).
public enum Intake: Sendable {
    /// The whole body as fast as it comes, then the reply.
    case atOnce
    /// The whole body, that many bytes in each interval, then the reply.
    case paced(bytes: Int, every: Duration)
    /// Nothing until the gate opens, then the whole body, then the reply.
    case after(Gate)
    /// That many bytes, then the reply; the rest stays in the socket, and the connection is closed behind the reply.
    ///
    /// Closing a socket with unread bytes resets the connection, and a reset can overtake the reply: what a server does
    /// that gives up on an upload. A client that leaves behind unread bytes is noticed only by reading them, so such a
    /// request may never count as disconnected.
    case first(bytes: Int)
    /// The reply, then the whole body, so that the connection can be used again.
    ///
    /// A request that still waits for its `100 Continue` has its connection closed behind the reply.
    case afterReply

    /// No byte of the body is ever read: `first(bytes: 0)`.
    public static var never: Intake { .first(bytes: 0) }
}
