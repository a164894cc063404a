/// A request the server has received, and how far its reply has come.
///
/// A value: it shows the moment it was taken at. The server's ``LoopbackServer/requests`` has the present one.
public struct RecordedRequest: Sendable, Identifiable {
    /// How far the exchange has come.
    public enum State: Sendable, Hashable {
        /// The body is being read.
        case receiving
        /// The handler runs, or the reply is being written.
        case replying
        /// The reply, or the reading of the body, is in a delay, at a gate or in a stall.
        case waiting
        /// The client does not read: the kernel takes no more bytes of the reply.
        case blocked
        /// The complete reply was handed to the kernel.
        case replied
        /// The client ended its stream or reset the connection before the reply was complete.
        ///
        /// While the server waits or reads, the end of the client's stream counts, so a client that half-closes counts
        /// as gone; while it writes, only a connection that takes no more does.
        case disconnected
        /// The reply ended by its fault.
        case faulted
        /// The body broke the rules of HTTP, and the request was answered with 400.
        case rejected
        /// The server stopped, or had no descriptors left to go on with.
        case stopped
    }

    /// One for the first request on the server, in the order their heads arrived.
    public let number: Int
    /// The connection it came on: one for the first accepted.
    public let connection: Int
    /// One for the first request of its route.
    public let turn: Int
    /// The method, as written.
    public let method: String
    /// The request target, as written.
    public let target: String
    /// The target's path, still percent-encoded: without query, and without scheme and authority where it had them.
    public let path: String
    /// What stands behind the first question mark, still percent-encoded; nil without one.
    public let query: String?
    /// The protocol's version, as written: `HTTP/1.1` or `HTTP/1.0`.
    public let version: String
    /// The header fields.
    public let headers: HeaderFields

    /// The body's first bytes, up to the server's recording limit.
    public internal(set) var body: [UInt8] = []
    /// The bytes of the body read so far, recorded or not. Chunk framing does not count.
    public internal(set) var bodyCount = 0
    /// Whether the body was read to its end.
    public internal(set) var isBodyComplete = false
    /// The fields behind the last chunk of a chunked body.
    public internal(set) var trailers = HeaderFields()
    /// How far the exchange has come.
    public internal(set) var state = State.receiving
    /// The bytes of the reply's content the kernel has taken so far. Heads and chunk framing do not count.
    public internal(set) var bytesWritten = 0

    /// When the reply came to be blocked.
    var blockedSince: ContinuousClock.Instant?

    public var id: Int { number }

    /// The recorded part of the body as UTF-8 text.
    public var text: String { String(decoding: body, as: UTF8.self) }
}

extension RecordedRequest.State {
    /// Whether nothing will change the state any more.
    public var isEnd: Bool {
        switch self {
        case .receiving, .replying, .waiting, .blocked: false
        case .replied, .disconnected, .faulted, .rejected, .stopped: true
        }
    }
}
