/// HTTP/2 (RFC 9113), as far as tests need it.
extension RawConnection {
    enum FrameType: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case settings = 4
        case ping = 6
        case windowUpdate = 8
    }

    /// Reads the client's preface, and sends empty settings.
    func acceptHTTP2() -> Bool {
        guard read(24).count == 24 else { return false }
        return writeFrame(.settings, stream: 0, [])
    }

    /// Reads a frame.
    ///
    /// - Returns: The number of the type, the stream, and the payload; `nil` if the client closed the connection.
    func readFrame() -> (type: UInt8, stream: UInt8, payload: [UInt8])? {
        let head = read(9)
        guard head.count == 9 else { return nil }
        let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        let payload = read(count)
        return payload.count == count ? (head[3], head[8], payload) : nil
    }

    /// Reads frames up to the head of a stream.
    ///
    /// - Returns: The number of the stream; `nil` if the client closed the connection.
    func readStream() -> UInt8? {
        while let frame = readFrame() {
            if frame.type == FrameType.headers.rawValue { return frame.stream }
        }
        return nil
    }

    /// Reads frames up to a number of bytes of content, which are all of one stream.
    func readContent(_ count: Int) -> [UInt8] {
        var content: [UInt8] = []
        while content.count < count, let frame = readFrame() {
            if frame.type == FrameType.data.rawValue { content += frame.payload }
        }
        return content
    }

    @discardableResult
    func writeFrame(_ type: FrameType, flags: UInt8 = 0, stream: UInt8, _ payload: [UInt8]) -> Bool {
        write(Self.frame(type, flags: flags, stream: stream, payload))
    }

    /// Returns the bytes of a frame with less than 256 bytes of payload.
    static func frame(_ type: FrameType, flags: UInt8 = 0, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, 0, UInt8(payload.count), type.rawValue, flags, 0, 0, 0, stream] + payload
    }

    /// Answers the first stream with a head and content, and then waits for the client to end the connection.
    ///
    /// - Parameters:
    ///   - status: The three characters of `:status`.
    ///   - content: The content.
    ///   - resetCode: The error code with which the stream is reset once the client has read the head; `nil` if the
    ///     stream ends.
    func answerHTTP2(status: String = "200", content: String, resetCode: UInt8?) {
        guard acceptHTTP2(), let stream = readStream() else { return }
        writeFrame(.headers, flags: 0x4, stream: stream, [0x08, 3] + Array(status.utf8))
        let isEnd = resetCode == nil
        if isEnd || !content.isEmpty {
            writeFrame(.data, flags: isEnd ? 0x1 : 0, stream: stream, Array(content.utf8))
        }
        if let resetCode, waitForReading() { writeFrame(.reset, stream: stream, [0, 0, 0, resetCode]) }
        while !read(1).isEmpty {}
    }

    /// Answers the first stream with 413 once its content has begun, ends it without an error (RFC 9113, section 8.1), and
    /// then waits for the client to end the connection.
    ///
    /// - Parameters:
    ///   - part: The part of the content, `too large`, that is sent.
    ///   - isHeadApart: Whether the rest is sent once the client has read the head; otherwise it comes with the head.
    func refuseHTTP2(sending part: String, isHeadApart: Bool = true) {
        guard acceptHTTP2(), let stream = readStream(), !readContent(1).isEmpty else { return }
        // `:status: 413` and `content-length: 9` (RFC 7541, section 6.2.2), with the end of the head.
        let fields: [UInt8] = [0x08, 3] + Array("413".utf8) + [0x0F, 0x0D, 1] + Array("9".utf8)
        let head = Self.frame(.headers, flags: 0x4, stream: stream, fields)
        let rest =
            Self.frame(.data, flags: part.utf8.count == 9 ? 0x1 : 0, stream: stream, Array(part.utf8))
            + Self.frame(.reset, stream: stream, [0, 0, 0, 0])
        if isHeadApart {
            guard write(head), waitForReading() else { return }
            write(rest)
        } else {
            write(head + rest)
        }
        while !read(1).isEmpty {}
    }

    /// Waits until the client has read what was written: until it has answered a ping.
    ///
    /// - Returns: Whether the ping was written.
    private func waitForReading() -> Bool { contentUntilReading() != nil }

    /// Waits until the client has read what was written: until it has answered a ping.
    ///
    /// - Returns: The content that the client sent before; `nil` if the ping was not written.
    func contentUntilReading() -> [UInt8]? {
        guard writeFrame(.ping, stream: 0, Array(0..<8)) else { return nil }
        var content: [UInt8] = []
        while let frame = readFrame(), frame.type != FrameType.ping.rawValue {
            if frame.type == FrameType.data.rawValue { content += frame.payload }
        }
        return content
    }
}
