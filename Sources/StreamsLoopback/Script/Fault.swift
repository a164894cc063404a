/// A fault of a reply.
///
/// ```swift
/// server.on("GET", "/cut", .text("a long text").failing(with: .reset(at: .inBody(after: 4))))
/// ```
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
    case reset(at: Place)
    /// The connection is closed (FIN). Before the head, the reply is empty. Within it or the body, the reply is
    /// truncated. After the reply, an idle connection is closed without announcement.
    case close(at: Place)
    /// Nothing more is sent until the client disconnects or the server stops.
    case stall(at: Place)
    /// Bytes are sent instead of the reply, and the connection is closed.
    case garbage([UInt8] = Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
    /// From the place on, the reply is sent slowly, a number of bytes in each interval. With an interval of zero, the
    /// pieces are separate writes without delays.
    case drip(from: Place = .beforeHead, bytes: Int = 1, every: Duration)
    /// The head is filled with fields up to a number of bytes, in constant memory.
    case oversizedHead(bytes: Int)
    /// The body is chunked, and after a number of bytes, a chunk has the text as its size. Then the connection is
    /// closed.
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
