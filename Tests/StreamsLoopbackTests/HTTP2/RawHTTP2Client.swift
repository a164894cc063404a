@testable import StreamsLoopback

/// A bare client of HTTP/2: it writes the frames that a test gives it, and acknowledges nothing by itself.
final class RawHTTP2Client {
    typealias Frame = HTTP2ClientFrame
    typealias Setting = LoopbackServer.HTTP2Settings.Setting
    typealias ErrorCode = LoopbackServer.HTTP2ErrorCode

    /// The end of a reply.
    enum End: Equatable {
        case complete
        case reset(ErrorCode)
        case goAway(last: Int, ErrorCode)
        case disconnected
    }

    /// A reply, as far as it was received.
    struct Received {
        /// The informational and the final heads, and the trailers.
        var heads: [HeaderFields] = []
        var body: [UInt8] = []
        var end = End.disconnected

        var text: String { String(decoding: body, as: UTF8.self) }
        var status: String? { heads.last { $0[":status"] != nil }?[":status"] }
        var headers: HeaderFields { heads.last { $0[":status"] != nil } ?? [:] }
    }

    let raw: RawClient
    private var decoder = HPACKDecoder()
    private var replies: [Int: Received] = [:]
    private var completed: Set<Int> = []
    private var block: (stream: Int, endsStream: Bool, bytes: [UInt8])?
    private(set) var frames: [Frame] = []

    /// Connects, and sends the preface and the settings.
    init(
        _ server: LoopbackServer, settings: [Setting] = [], receiveBuffer: Int32? = nil, patience: Int = 20_000
    ) throws {
        raw = try RawClient(port: server.port, receiveBuffer: receiveBuffer, patience: patience)
        raw.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        send(.settings(settings))
    }

    /// Sends a frame; a stream of `.this` is stream 1.
    func send(_ frames: LoopbackServer.HTTP2Frame...) {
        raw.send(frames.flatMap { $0.bytes(from: 1) })
    }

    /// Sends the head of a request.
    func request(
        _ method: String, _ path: String, on stream: Int = 1, _ fields: HeaderFields = [:], endStream: Bool = true
    ) {
        let pseudoFields: HeaderFields = [
            ":method": method, ":scheme": "http", ":path": path, ":authority": "localhost",
        ]
        send(.headers(HeaderFields(Array(pseudoFields) + Array(fields)), endStream: endStream, on: .number(stream)))
    }

    /// Reads a frame; `nil` at the end of the connection.
    func nextFrame() -> Frame? {
        let head = raw.read(exactly: 9)
        guard head.count == 9 else { return nil }
        let length = number(head.prefix(3))
        let payload = raw.read(exactly: length)
        guard payload.count == length else { return nil }
        let frame = Frame(
            type: head[3], flags: head[4], stream: number(head.suffix(4)) & HTTP2Constants.maxWindow, payload: payload)
        frames.append(frame)
        return frame
    }

    /// Reads up to a frame of a type, on any stream.
    func frame(ofType type: UInt8) throws -> Frame? {
        while let frame = nextFrame() {
            try take(frame)
            if frame.type == type { return frame }
        }
        return nil
    }

    /// Reads up to the end of a reply.
    func reply(on stream: Int = 1) throws -> Received {
        while !completed.contains(stream) {
            guard let frame = nextFrame() else { break }
            if frame.type == HTTP2FrameType.goAway {
                let last = number(frame.payload.prefix(4))
                if last < stream || code(frame.payload[4..<8]) != .noError {
                    replies[stream, default: Received()].end = .goAway(last: last, code(frame.payload[4..<8]))
                    break
                }
            }
            try take(frame)
        }
        return replies[stream] ?? Received()
    }

    private func take(_ frame: Frame) throws {
        switch frame.type {
        case HTTP2FrameType.headers:
            block = (frame.stream, frame.has(HTTP2Flag.endStream), Array(try frame.content()))
        case HTTP2FrameType.continuation: block?.bytes += frame.payload
        case HTTP2FrameType.data:
            replies[frame.stream, default: Received()].body += try frame.content()
            if frame.has(HTTP2Flag.endStream) { complete(frame.stream, .complete) }
        case HTTP2FrameType.resetStream:
            if !completed.contains(frame.stream) { complete(frame.stream, .reset(code(frame.payload))) }
        default: break
        }
        if let block, frame.has(HTTP2Flag.endHeaders) {
            self.block = nil
            let fields = try decoder.decode(block.bytes).map {
                HeaderFields.Field(name: decoded($0.name), bytes: $0.value)
            }
            replies[block.stream, default: Received()].heads.append(HeaderFields(fields))
            if block.endsStream { complete(block.stream, .complete) }
        }
    }

    private func complete(_ stream: Int, _ end: End) {
        completed.insert(stream)
        replies[stream, default: Received()].end = end
    }

    private func code(_ bytes: some Sequence<UInt8>) -> ErrorCode {
        ErrorCode(rawValue: UInt32(truncatingIfNeeded: number(bytes)))
    }
}
