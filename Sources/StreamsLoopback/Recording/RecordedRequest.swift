/// A request that the server has received, and the state of its reply.
///
/// The value does not change after it was read. ``LoopbackServer/requests`` returns the current ones.
public struct RecordedRequest: Sendable, Identifiable {
    /// The state of the exchange.
    public enum State: Sendable, Hashable {
        /// The body is being read.
        case receiving
        /// The handler runs, or the reply is being written.
        case replying
        /// The reply, or the reading of the body, waits for a delay, a gate or a stall.
        case waiting
        /// The client does not read, so that the kernel accepts no more bytes of the reply, or the windows of HTTP/2
        /// allow none.
        case blocked
        /// The complete reply was handed to the kernel, or the WebSocket was closed by close frames of both sides.
        case replied
        /// The client ended its stream or reset the connection before the reply was complete. Over HTTP/2, the client
        /// may also have reset the stream.
        ///
        /// While the server waits or reads, a client that closes only its sending direction counts as disconnected.
        /// While the server writes, only a connection that accepts no more bytes does.
        case disconnected
        /// The reply ended by its fault.
        case faulted
        /// The body was malformed, and the reply was status 400; or a frame was, and the close code 1002.
        case rejected
        /// The server stopped, or had no descriptors left.
        case stopped
    }

    /// The number of the request on the server, from 1, in the order in which heads were received.
    public let number: Int
    /// The number of the connection, from 1, in the order of acceptance.
    public let connection: Int
    /// The number of the request of its route, from 1.
    public let turn: Int
    /// The method, as written.
    public let method: String
    /// The request target, as written.
    public let target: String
    /// The target's path, percent-encoded, without scheme, authority and query.
    public let path: String
    /// The target's query, after the first question mark, percent-encoded; `nil` without one.
    public let query: String?
    /// The protocol's version: `HTTP/1.1` or `HTTP/1.0`, as written, or `HTTP/2`.
    public let version: String
    /// The header fields. Those of HTTP/2 do not include the pseudo-header fields.
    public let headers: HeaderFields
    /// The number of the stream; `nil` for HTTP/1.1.
    public internal(set) var stream: Int?
    /// The pseudo-header fields of HTTP/2, such as `:authority`, in order.
    public internal(set) var pseudoHeaders = HeaderFields()

    /// The body's first bytes, up to the server's recording limit.
    public internal(set) var body: [UInt8] = []
    /// The number of bytes of the body read so far, recorded or not, without chunk framing. On a WebSocket, the number of
    /// bytes of frames.
    public internal(set) var bodyCount = 0
    /// Whether the body was read to its end.
    public internal(set) var isBodyComplete = false
    /// The fields after the last chunk of a chunked body, or after the content of HTTP/2.
    public internal(set) var trailers = HeaderFields()
    /// The first messages that the client has sent on a WebSocket, as many as the server's recording limit allows.
    public internal(set) var messages: [WebSocketMessage] = []
    /// The number of messages that the client has sent on a WebSocket, recorded or not.
    public internal(set) var messageCount = 0
    /// The code of the close frame that the client has sent on a WebSocket, 1005 for one without a code; `nil` if it has
    /// sent none.
    public internal(set) var closeCode: UInt16?
    /// The number of bytes of content that the client has allowed on the stream so far: the initial window at its
    /// beginning and the increments; `nil` for HTTP/1.1.
    public internal(set) var window: Int?
    /// The code of the RST_STREAM that the client has sent; `nil` if it has sent none.
    public internal(set) var resetCode: HTTP2ErrorCode?
    /// The state of the exchange.
    public internal(set) var state = State.receiving
    /// The number of bytes of the reply's content that the kernel has accepted so far, without heads and chunk framing.
    /// The frames of a WebSocket count whole.
    public internal(set) var bytesWritten = 0

    /// The time since which the reply has been blocked.
    var blockedSince: ContinuousClock.Instant?

    public var id: Int { number }

    /// The authority of the target: the field `:authority` of HTTP/2, and the field `Host` of HTTP/1.1.
    public var authority: String? { pseudoHeaders[":authority"] ?? headers["Host"] }

    /// The recorded part of the body as UTF-8 text.
    public var text: String { String(decoding: body, as: UTF8.self) }
}

extension RecordedRequest.State {
    /// Whether the state is final.
    public var isEnd: Bool {
        switch self {
        case .receiving, .replying, .waiting, .blocked: false
        case .replied, .disconnected, .faulted, .rejected, .stopped: true
        }
    }
}
