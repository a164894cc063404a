/// A way for a reply to go wrong.
///
/// ```swift
/// server.on("GET", "/cut", .text("a long text").failing(with: .reset(at: .inBody(after: 4))))
/// ```
public enum Fault: Sendable, Hashable {
    /// A place in the reply.
    ///
    /// A fault whose place the reply does not reach, because its head or body is shorter, strikes at the end of that
    /// part; in a chunked body that is in front of the last chunk.
    public enum Place: Sendable, Hashable {
        /// Before the first byte of the final head: after delays, gates and informational heads.
        case beforeHead
        /// After that many bytes of the final head.
        case inHead(after: Int)
        /// After that many bytes of the body's content; in a chunked body the chunk around it has been
        /// announced whole, and at a chunk's end its line break is still to come.
        case inBody(after: Int)
        /// After the complete reply, in front of the next request on the connection.
        case afterReply
    }

    /// The connection is reset (RST). What the client's window had no room for by then is lost.
    ///
    /// A unix-domain socket knows no reset, and is just closed.
    case reset(at: Place)
    /// The connection ends in order (FIN): an empty reply before the head, a truncated one within, and after the reply
    /// an idle connection that closes without having been announced.
    case close(at: Place)
    /// Nothing more comes, until the client leaves or the server stops.
    case stall(at: Place)
    /// These bytes come in place of the reply, then the connection ends.
    case garbage([UInt8] = Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
    /// From that place on the reply trickles, that many bytes in each interval.
    ///
    /// With an interval of zero each piece is a write of its own without a delay, which is how to split a reply
    /// anywhere.
    case drip(from: Place = .beforeHead, bytes: Int = 1, every: Duration)
    /// The head is filled up with padding fields to that many bytes, in constant memory.
    case oversizedHead(bytes: Int)
    /// The body is chunked, and after that many bytes a chunk announces this text as its size; then the connection
    /// ends.
    case malformedChunkSize(String = "zz", after: Int = 0)
}

extension Fault.Place {
    /// The bytes of a head that come in front of the place; nil when it is not within a head.
    var bytesOfHead: Int? {
        if case .inHead(let count) = self { max(0, count) } else { nil }
    }

    /// The bytes of content that come in front of the place; nil when it is not within a body.
    var bytesOfBody: Int? {
        if case .inBody(let count) = self { max(0, count) } else { nil }
    }
}

extension Fault {
    /// Where the fault strikes; nil for a fault that shapes the whole reply.
    var place: Place? {
        switch self {
        case .reset(let place), .close(let place), .stall(let place), .drip(let place, _, _): place
        case .malformedChunkSize(_, let count): .inBody(after: count)
        case .garbage, .oversizedHead: nil
        }
    }
}
