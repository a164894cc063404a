/// A frame that a script writes as it is, valid or not (RFC 9113 section 4.1).
///
/// ```swift
/// .windowUpdate(by: 0)
/// .ping(on: .number(3))
/// HTTP2Frame(type: 0xFA, payload: [1, 2, 3])
/// ```
///
/// The frame changes nothing in the server's own accounts: DATA takes nothing from the client's windows, and
/// settings are not enforced.
public struct HTTP2Frame: Sendable, Hashable {
    /// The number of a stream, absolute or relative to that of the request.
    public enum Stream: Sendable, Hashable {
        /// An absolute number. Zero is the connection.
        case number(Int)
        /// The number of the request's stream, plus an offset. Zero is the lowest result.
        case offset(Int)

        /// The stream of the request.
        public static let this = Stream.offset(0)
        /// The connection.
        public static let connection = Stream.number(0)
        /// The stream before that of the request: as the last of a GOAWAY, it means that the request was not
        /// processed.
        public static let previous = Stream.offset(-2)
        /// The largest number: as the last of a GOAWAY, it announces another one.
        public static let largest = Stream.number(0x7FFF_FFFF)
    }

    /// The type, such as 0 for DATA.
    public var type: UInt8
    /// The flags.
    public var flags: UInt8
    /// The stream.
    public var stream: Stream
    /// The payload. Its size is the frame's length.
    public var payload: [UInt8]

    /// Creates a frame.
    public init(type: UInt8, flags: UInt8 = 0, on stream: Stream = .this, payload: [UInt8] = []) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }
}

extension HTTP2Frame.Stream {
    /// Returns the absolute number.
    func number(from own: Int) -> Int {
        switch self {
        case .number(let number): number
        case .offset(let offset): max(0, own + min(max(offset, -own), HTTP2Constants.maxWindow))
        }
    }
}

extension HTTP2Frame {
    /// Returns the bytes of the frame in the script of a stream.
    func bytes(from own: Int) -> [UInt8] {
        http2Frame(type, flags: flags, stream: stream.number(from: own), payload)
    }
}

// MARK: Frames by name

extension HTTP2Frame {
    /// Returns a DATA frame.
    public static func data(_ content: [UInt8] = [], endStream: Bool = false, on stream: Stream = .this) -> Self {
        Self(
            type: HTTP2FrameType.data, flags: endStream ? HTTP2Flag.endStream : 0, on: stream, payload: content)
    }

    /// Returns a HEADERS frame with fields, whose names are written as they are. Pseudo-header fields are fields.
    public static func headers(_ fields: HeaderFields, endStream: Bool = false, on stream: Stream = .this) -> Self {
        headers(block: block(fields), endStream: endStream, on: stream)
    }

    /// Returns a HEADERS frame with a field block of HPACK.
    public static func headers(
        block: [UInt8], endStream: Bool = false, endHeaders: Bool = true, on stream: Stream = .this
    ) -> Self {
        let flags = (endStream ? HTTP2Flag.endStream : 0) | (endHeaders ? HTTP2Flag.endHeaders : 0)
        return Self(type: HTTP2FrameType.headers, flags: flags, on: stream, payload: block)
    }

    /// Returns a CONTINUATION frame.
    public static func continuation(block: [UInt8], endHeaders: Bool = true, on stream: Stream = .this) -> Self {
        let flags = endHeaders ? HTTP2Flag.endHeaders : 0
        return Self(type: HTTP2FrameType.continuation, flags: flags, on: stream, payload: block)
    }

    /// Returns a PRIORITY frame.
    public static func priority(on stream: Stream = .this) -> Self {
        Self(type: HTTP2FrameType.priority, on: stream, payload: [0, 0, 0, 0, 15])
    }

    /// Returns a RST_STREAM frame. The reply goes on; a fault that resets the stream ends it.
    public static func resetStream(_ code: HTTP2ErrorCode, on stream: Stream = .this) -> Self {
        Self(type: HTTP2FrameType.resetStream, on: stream, payload: bigEndian(code.rawValue))
    }

    /// Returns a SETTINGS frame.
    public static func settings(_ settings: [HTTP2Settings.Setting] = [], on stream: Stream = .connection) -> Self {
        let payload = settings.flatMap { bigEndian($0.identifier) + bigEndian($0.value) }
        return Self(type: HTTP2FrameType.settings, on: stream, payload: payload)
    }

    /// Returns an acknowledgement of settings.
    public static let settingsAcknowledgement = Self(
        type: HTTP2FrameType.settings, flags: HTTP2Flag.acknowledgement, on: .connection)

    /// Returns a PUSH_PROMISE frame.
    ///
    /// - Parameter promised: The number of the promised stream.
    public static func pushPromise(
        of promised: UInt32 = 2, _ fields: HeaderFields, on stream: Stream = .this
    ) -> Self {
        Self(
            type: HTTP2FrameType.pushPromise, flags: HTTP2Flag.endHeaders, on: stream,
            payload: bigEndian(promised) + block(fields))
    }

    /// Returns a PING frame.
    public static func ping(
        _ payload: [UInt8] = Array("loopback".utf8), isAcknowledgement: Bool = false, on stream: Stream = .connection
    ) -> Self {
        let flags = isAcknowledgement ? HTTP2Flag.acknowledgement : 0
        return Self(type: HTTP2FrameType.ping, flags: flags, on: stream, payload: payload)
    }

    /// Returns a WINDOW_UPDATE frame.
    public static func windowUpdate(by increment: UInt32, on stream: Stream = .this) -> Self {
        Self(type: HTTP2FrameType.windowUpdate, on: stream, payload: bigEndian(increment))
    }

    private static func block(_ fields: HeaderFields) -> [UInt8] {
        HPACKEncoder.encode(fields.map { HPACKField($0.name.utf8, $0.bytes) })
    }
}
