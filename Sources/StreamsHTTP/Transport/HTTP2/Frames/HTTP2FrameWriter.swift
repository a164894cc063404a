/// A writer of the frames of a connection (RFC 9113, section 6). They lie one after the other in ``bytes``, to be sent.
struct HTTP2FrameWriter {
    private(set) var bytes: [UInt8] = []

    /// The bytes that a client begins every connection with (RFC 9113, section 3.4).
    private static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// Takes what was written.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    mutating func writePreface() {
        bytes += Self.preface.utf8
    }

    mutating func writeSettings(_ settings: [(HTTP2Setting, UInt32)]) {
        begin(.settings, [], stream: 0, size: settings.count * 6)
        for (setting, value) in settings {
            append(setting.rawValue)
            append(value)
        }
    }

    mutating func writeSettingsAcknowledgement() {
        begin(.settings, .acknowledgement, stream: 0, size: 0)
    }

    mutating func writePing(_ data: UInt64, isAcknowledgement: Bool) {
        begin(.ping, isAcknowledgement ? .acknowledgement : [], stream: 0, size: 8)
        append(data)
    }

    mutating func writeReset(_ stream: HTTP2Frame.StreamID, _ code: HTTP2Error.Code) {
        begin(.reset, [], stream: stream, size: 4)
        append(code.rawValue)
    }

    /// Writes the end of the connection. A server opens no streams to us, so that the last one is always 0.
    mutating func writeGoAway(_ code: HTTP2Error.Code) {
        begin(.goAway, [], stream: 0, size: 8)
        append(UInt32(0))
        append(code.rawValue)
    }

    mutating func writeWindowUpdate(_ stream: HTTP2Frame.StreamID, _ increment: UInt32) {
        begin(.windowUpdate, [], stream: stream, size: 4)
        append(increment)
    }

    /// Writes a field block, in as many frames as it takes.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - block: The encoded fields.
    ///   - isLast: Whether no content follows.
    ///   - maxSize: The maximum size of a frame's payload.
    mutating func writeHeaders(_ stream: HTTP2Frame.StreamID, _ block: [UInt8], isLast: Bool, maxSize: Int) {
        var rest = block[...]
        var isFirst = true
        repeat {
            let part = rest.prefix(maxSize)
            rest = rest[part.endIndex...]
            var flags: HTTP2Flags = rest.isEmpty ? .endHeaders : []
            if isFirst, isLast { flags.insert(.endStream) }
            begin(isFirst ? .headers : .continuation, flags, stream: stream, size: part.count)
            bytes += part
            isFirst = false
        } while !rest.isEmpty
    }

    /// Writes content that fits into one frame.
    mutating func writeData(_ stream: HTTP2Frame.StreamID, _ content: UnsafeRawBufferPointer, isLast: Bool) {
        begin(.data, isLast ? .endStream : [], stream: stream, size: content.count)
        bytes += content
    }

    private mutating func begin(
        _ type: HTTP2FrameType, _ flags: HTTP2Flags, stream: HTTP2Frame.StreamID, size: Int
    ) {
        append(UInt32(truncatingIfNeeded: size) << 8 | UInt32(type.rawValue))
        bytes.append(flags.rawValue)
        append(stream)
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
}
