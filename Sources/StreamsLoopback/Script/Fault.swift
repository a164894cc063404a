/// A fault of a reply.
///
/// ```swift
/// server.on("GET", "/cut", .text("a long text").failing(with: .reset(at: .inBody(after: 4))))
/// ```
///
/// Over HTTP/2, a place in the head is a number of bytes of its field block. A fault at the end of the body occurs
/// before the end of the stream, whatever length the head has declared. ``HTTP2`` has faults of streams and frames.
public enum Fault: Sendable, Hashable {
    /// A place in the reply.
    ///
    /// If the head or the body is shorter than the place, the fault occurs at its end; in a chunked body, before the
    /// last chunk.
    public enum Place: Sendable, Hashable {
        /// Before the first byte of the final head: after delays, gates and informational heads.
        case beforeHead
        /// After a number of bytes of the final head.
        case inHead(after: Int)
        /// After a number of bytes of the body's content. In a chunked body, the size of the chunk has been sent, and
        /// the line break at its end has not.
        case inBody(after: Int)
        /// After the complete reply, before the next request on the connection.
        case afterReply
    }

    /// The connection is reset (RST). Bytes that do not fit in the client's window are lost. A unix-domain socket has
    /// no reset, and is closed.
    ///
    /// Over HTTP/2, the stream is reset (RST_STREAM) with INTERNAL_ERROR, and the connection goes on. Within the head,
    /// the head is not sent, because a field block cannot be interrupted.
    case reset(at: Place)
    /// The connection is closed (FIN). Before the head, the reply is empty. Within it or the body, the reply is
    /// truncated. After the reply, an idle connection is closed without announcement.
    ///
    /// Over HTTP/2, this ends all streams of the connection.
    case close(at: Place)
    /// Nothing more is sent until the client disconnects or the server stops.
    ///
    /// Over HTTP/2, this concerns the stream alone, except within the head and after the reply: then the whole
    /// connection stalls.
    case stall(at: Place)
    /// Bytes are sent instead of the reply, and the connection is closed.
    case garbage([UInt8] = Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
    /// From the place on, the reply is sent slowly, a number of bytes in each interval. With an interval of zero, the
    /// pieces are separate writes without delays.
    ///
    /// Over HTTP/2, each piece of the content has a frame of its own. The pieces of a head are those of its frame, so
    /// that the connection waits for its end.
    case drip(from: Place = .beforeHead, bytes: Int = 1, every: Duration)
    /// The head is filled with fields up to a number of bytes, in constant memory. Over HTTP/2, this is the size of the
    /// field block, in as many CONTINUATION frames as it needs.
    case oversizedHead(bytes: Int)
    /// The body is chunked, and after a number of bytes, a chunk has the text as its size. Then the connection is
    /// closed. Over HTTP/2, which has no chunks, the fault has no effect.
    case malformedChunkSize(String = "zz", after: Int = 0)
}

extension Fault.Place {
    /// The number of bytes of a head before the place; `nil` if the place is not in a head.
    var bytesOfHead: Int? {
        if case .inHead(let count) = self { max(0, count) } else { nil }
    }

    /// The number of bytes of content before the place; `nil` if the place is not in a body.
    var bytesOfBody: Int? {
        if case .inBody(let count) = self { max(0, count) } else { nil }
    }
}

extension Fault {
    /// The place of the fault; `nil` for a fault of the whole reply.
    var place: Place? {
        switch self {
        case .reset(let place), .close(let place), .stall(let place), .drip(let place, _, _): place
        case .malformedChunkSize(_, let count): .inBody(after: count)
        case .garbage, .oversizedHead: nil
        }
    }
}
