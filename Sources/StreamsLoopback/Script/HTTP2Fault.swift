extension Fault {
    /// A fault of a reply over HTTP/2, which has no counterpart in HTTP/1.1 and no effect there.
    ///
    /// ```swift
    /// Reply().failing(with: .resetStream(.refusedStream, at: .beforeHead))
    /// Reply.text("late").failing(with: .goAway(last: .previous, at: .beforeHead))
    /// Reply.text("text").failing(with: .frames([.data(Array("more".utf8))], at: .afterReply))
    /// ```
    ///
    /// A place in the head is a number of bytes of its field block. A place in the body is a number of bytes of
    /// content, before the end of the stream; at the end of the body, the stream is still open.
    public enum HTTP2: Sendable, Hashable {
        /// The stream is reset (RST_STREAM) with a code. Within the head, the head is not sent, because a field block
        /// cannot be interrupted.
        case resetStream(HTTP2ErrorCode, at: Place)
        /// The connection is reset (RST of TCP).
        case resetConnection(at: Place)
        /// GOAWAY is sent. Streams above the last are abandoned without a reply, and further ones are ignored. The
        /// others go on, and the connection remains open; combine it with ``Fault/close(at:)``.
        case goAway(last: HTTP2Frame.Stream = .this, HTTP2ErrorCode = .noError, debugData: [UInt8] = [], at: Place)
        /// Nothing more is sent on the connection, until the client disconnects or the server stops: no reply, no
        /// acknowledgement, no answer to a PING. What the client sends is still read.
        case stallConnection(at: Place)
        /// Frames are written, and the reply goes on.
        ///
        /// - Parameters:
        ///   - times: The number of times that the frames are written; `.max` for an endless flood.
        ///   - every: The pause between two times.
        case frames([HTTP2Frame], times: Int = 1, every: Duration = .zero, at: Place)
        /// Bytes are written, and the reply goes on.
        case bytes([UInt8], at: Place)
    }
}

extension Fault.HTTP2 {
    /// The place of the fault.
    var place: Fault.Place {
        switch self {
        case .resetStream(_, let place), .resetConnection(let place), .goAway(_, _, _, let place),
            .stallConnection(let place), .frames(_, _, _, let place), .bytes(_, let place):
            place
        }
    }
}

extension Reply {
    /// Returns this reply with one more fault over HTTP/2. Faults at the same place occur in order, before the fault
    /// that is common to both versions.
    public func failing(with fault: Fault.HTTP2) -> Reply {
        var reply = self
        reply.http2Faults.append(fault)
        return reply
    }
}
