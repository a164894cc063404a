@testable import StreamsHTTP

/// The bytes of a frame that a test's server sends.
struct ServerFrame: Sendable {
    typealias StreamID = HTTP2Frame.StreamID

    let bytes: [UInt8]

    private init(_ write: (inout HTTP2FrameWriter) -> Void) {
        var writer = HTTP2FrameWriter()
        write(&writer)
        bytes = writer.take()
    }

    /// Creates a frame of any type and flags, which need not be valid.
    init(type: UInt8, flags: UInt8 = 0, _ stream: StreamID, _ payload: [UInt8] = []) {
        var bytes = Array(UInt32(payload.count).bigEndianBytes.dropFirst())
        bytes += [type, flags]
        bytes += stream.bigEndianBytes
        self.bytes = bytes + payload
    }

    /// Settings by their numbers.
    static func settings(_ settings: (UInt16, UInt32)...) -> Self {
        Self { writer in writer.writeSettings(settings.map { (HTTP2Setting(rawValue: $0.0), $0.1) }) }
    }

    static let settingsAcknowledgement = Self { $0.writeSettingsAcknowledgement() }

    /// A field block of `name: value`, in one frame, which uses and changes no table.
    static func headers(_ stream: StreamID, _ fields: String..., isLast: Bool = false) -> Self {
        Self { $0.writeHeaders(stream, block(fields), isLast: isLast, maxSize: .max) }
    }

    /// A field block in frames of a size.
    static func headers(
        _ stream: StreamID, _ fields: [String], isLast: Bool = false, frameSize: Int
    ) -> Self {
        Self { $0.writeHeaders(stream, block(fields), isLast: isLast, maxSize: frameSize) }
    }

    static func data(_ stream: StreamID, _ content: String, isLast: Bool = false) -> Self {
        data(stream, Array(content.utf8), isLast: isLast)
    }

    static func data(_ stream: StreamID, _ content: [UInt8], isLast: Bool = false) -> Self {
        Self { writer in content.withUnsafeBytes { writer.writeData(stream, $0, isLast: isLast) } }
    }

    static func data(_ stream: StreamID, _ content: String, padding: UInt8, isLast: Bool = false) -> Self {
        let bytes = [padding] + Array(content.utf8) + Array(repeating: 0, count: Int(padding))
        return Self(type: 0, flags: isLast ? 0x9 : 0x8, stream, bytes)
    }

    static func window(_ stream: StreamID, _ increment: UInt32) -> Self {
        Self { $0.writeWindowUpdate(stream, increment) }
    }

    static func reset(_ stream: StreamID, _ code: HTTP2Error.Code) -> Self {
        Self { $0.writeReset(stream, code) }
    }

    static func ping(_ data: UInt64 = 0, isAcknowledgement: Bool = false) -> Self {
        Self { $0.writePing(data, isAcknowledgement: isAcknowledgement) }
    }

    static func goAway(_ last: StreamID, _ code: HTTP2Error.Code) -> Self {
        Self(type: 7, 0, last.bigEndianBytes + code.rawValue.bigEndianBytes)
    }

    static func block(_ fields: [String]) -> [UInt8] {
        var encoder = FieldBlockEncoder()
        var block: [UInt8] = []
        encoder.begin(&block)
        for field in fields {
            // The colon of a pseudo-header field is no separator.
            let name = field.dropFirst().prefix { $0 != ":" }
            let value = field.dropFirst(name.count + 1).dropFirst(2)
            encoder.append(
                HTTPHeaders.Field(name: String(field.prefix(1) + name), value: String(value)), .omitted, to: &block)
        }
        return block
    }
}
