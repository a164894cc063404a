import StreamsHTTP
import StreamsLoopback

/// Failures of streams and of connections by HTTP/2.
extension FaultMatrix {
    static let http2Rows: [FaultRow] = [
        FaultRow(
            "The stream is reset before the head", "transfer.receive-failed", isRetried: true, exitStatus: 92,
            setting: .http2, reset(.internalError, at: .beforeHead), reset(.cancel, at: .beforeHead)),
        FaultRow(
            "The stream is reset in the body", "transfer.body-ended-early", isRetried: true, exitStatus: 92,
            setting: .http2, reset(.internalError, at: .inBody(after: 0)),
            reset(.internalError, at: .inBody(after: 500)), reset(.cancel, at: .inBody(after: 500))),
        FaultRow(
            "The stream is reset because of a violation", "transfer.protocol-error", isRetried: true, exitStatus: 92,
            setting: .http2, reset(.protocolError, at: .beforeHead), reset(.protocolError, at: .inBody(after: 500))),
        FaultRow(
            "The server refuses the request once (`REFUSED_STREAM`)", nil, exitStatus: 0, setting: .http2,
            .replies([refusal, .text("done")])),
        FaultRow(
            "The server refuses the request four times", "transfer.request-refused", isRetried: true, exitStatus: 92,
            setting: .http2, .reply(refusal)),
        FaultRow(
            "The connection ends without the request (`GOAWAY`)", nil, exitStatus: 0, setting: .http2,
            .replies([departure, .text("done")])),
        FaultRow(
            "Four connections end without the request", "transfer.request-refused", isRetried: true, exitStatus: 92,
            setting: .http2, .reply(departure)),
        FaultRow(
            "The server requires HTTP/1.1 (`HTTP_1_1_REQUIRED`)", nil, exitStatus: 0, setting: .http2,
            .replies([Reply().failing(with: .resetStream(.http11Required, at: .beforeHead)), .text("done")])),
        FaultRow(
            "A field of HTTP/2 is malformed", "transfer.protocol-error", isRetried: true, exitStatus: 8,
            setting: .http2, frames(.headers([":status": "200", "X-Capital": "a"])),
            frames(.headers([":status": "200", "connection": "close"]))),
        FaultRow(
            "A frame is malformed or out of turn", "transfer.protocol-error", isRetried: true, exitStatus: 16,
            setting: .http2, frames(.ping([1, 2, 3])), frames(.data([1], on: .connection)),
            frames(.headers(block: [0x88], endHeaders: false), .ping())),
        FaultRow(
            "The server speaks another protocol", "transfer.protocol-error", isRetried: true, exitStatus: 16,
            setting: .http2,
            .connection { connection in
                guard connection.read(24).count == 24 else { return }
                connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
                while !connection.read(1).isEmpty {}
            }),
        FaultRow(
            "Frames that do no work have no end", "transfer.protocol-error", isRetried: true, exitStatus: 16,
            setting: .http2, maxGrowth: growth, flood(.ping()), flood(.settings()),
            flood(.data(), at: .inBody(after: 10))),
    ]

    private static let refusal = Reply().failing(with: .resetStream(.refusedStream, at: .beforeHead))
    private static let departure = Reply().failing(with: .goAway(last: .previous, at: .beforeHead))

    private static func reset(_ code: LoopbackServer.HTTP2ErrorCode, at place: Fault.Place) -> FaultPeer {
        .reply(.generated(1000).failing(with: .resetStream(code, at: place)))
    }

    private static func frames(_ frames: LoopbackServer.HTTP2Frame...) -> FaultPeer {
        .reply(.generated(1000).failing(with: .frames(frames, at: .beforeHead)))
    }

    private static func flood(_ frame: LoopbackServer.HTTP2Frame, at place: Fault.Place = .beforeHead) -> FaultPeer {
        .reply(.generated(1000).failing(with: .frames([frame], times: .max, at: place)))
    }
}
