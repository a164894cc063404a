/// A reader of the frames of a connection (RFC 9113, sections 4 and 6): whatever a frame by itself can be wrong in.
struct HTTP2FrameReader {
    /// The size of a frame's header.
    static let headerSize = 9
    /// The maximum size of the payload of a frame to us, that of a connection without a setting for it.
    static let maxPayloadSize = 16_384
    static let maxWindowSize = 0x7FFF_FFFF

    /// The stream whose field block is under way; `nil` for none.
    private var openBlock: HTTP2Frame.StreamID?

    /// Reads the next frame.
    ///
    /// - Parameter input: The bytes that came, without what was read from them before. Those of the frame are removed.
    /// - Returns: The frame; `nil` if more bytes are needed.
    mutating func next(_ input: inout UnsafeRawBufferPointer) throws(HTTP2Error) -> HTTP2Frame? {
        guard input.count >= Self.headerSize else { return nil }
        let size = Int(input.bigEndian(at: 0, as: UInt32.self) >> 8)
        // Told before the payload has come, which may be 16 MiB.
        guard size <= Self.maxPayloadSize else { throw HTTP2Error(.frameSizeError, "a frame has \(size) bytes") }
        guard input.count >= Self.headerSize + size else { return nil }
        let payload = input[Self.headerSize..<Self.headerSize + size]
        let header = Header(
            type: HTTP2FrameType(rawValue: input[3]), flags: HTTP2Flags(rawValue: input[4]),
            stream: input.bigEndian(at: 5, as: UInt32.self) & 0x7FFF_FFFF,
            payload: UnsafeRawBufferPointer(rebasing: payload))
        input = UnsafeRawBufferPointer(rebasing: input[(Self.headerSize + size)...])
        try checkBlock(header)
        return try header.frame()
    }

    /// Checks that nothing comes between the frames of a field block (RFC 9113, section 4.3).
    private mutating func checkBlock(_ header: Header) throws(HTTP2Error) {
        if let openBlock {
            guard header.type == .continuation, header.stream == openBlock else {
                throw HTTP2Error(.protocolError, "a field block is interrupted")
            }
        } else if header.type == .continuation {
            throw HTTP2Error(.protocolError, "a field block is continued that has not begun")
        }
        guard header.type == .headers || header.type == .continuation else { return }
        openBlock = header.flags.contains(.endHeaders) ? nil : header.stream
    }
}

/// The header of a frame, and its payload.
private struct Header {
    let type: HTTP2FrameType?
    let flags: HTTP2Flags
    let stream: HTTP2Frame.StreamID
    let payload: UnsafeRawBufferPointer

    func frame() throws(HTTP2Error) -> HTTP2Frame {
        switch type {
        case .data:
            try requireStream()
            return .data(stream, try unpadded(), size: payload.count, isLast: flags.contains(.endStream))
        case .headers:
            try requireStream()
            return .headers(
                stream, try withoutPriority(try unpadded()), endsBlock: flags.contains(.endHeaders),
                isLast: flags.contains(.endStream))
        case .continuation:
            try requireStream()
            return .continuation(stream, payload, endsBlock: flags.contains(.endHeaders))
        case .priority:
            try requireStream()
            guard payload.count == 5 else { throw sizeError(stream: stream) }
            return .ignored
        case .reset:
            try requireStream()
            try require(payload.count == 4)
            return .reset(stream, code(at: 0))
        case .settings: return try settings()
        case .pushPromise:
            try requireStream()
            return .pushPromise(stream)
        case .ping:
            try requireConnection()
            try require(payload.count == 8)
            let data = payload.bigEndian(at: 0, as: UInt64.self)
            return flags.contains(.acknowledgement) ? .pingAcknowledgement(data) : .ping(data)
        case .goAway:
            try requireConnection()
            try require(payload.count >= 8)
            return .goAway(last: payload.bigEndian(at: 0, as: UInt32.self) & 0x7FFF_FFFF, code(at: 4))
        case .windowUpdate:
            try require(payload.count == 4)
            let increment = Int(payload.bigEndian(at: 0, as: UInt32.self) & 0x7FFF_FFFF)
            guard increment > 0 else {
                throw HTTP2Error(.protocolError, "a window grows by nothing", stream: stream == 0 ? nil : stream)
            }
            return .windowUpdate(stream, increment)
        case nil: return .ignored
        }
    }

    private func settings() throws(HTTP2Error) -> HTTP2Frame {
        try requireConnection()
        if flags.contains(.acknowledgement) {
            try require(payload.isEmpty)
            return .settingsAcknowledgement
        }
        try require(payload.count % 6 == 0)
        var settings: [(HTTP2Setting, UInt32)] = []
        for place in stride(from: 0, to: payload.count, by: 6) {
            let setting = HTTP2Setting(rawValue: payload.bigEndian(at: place, as: UInt16.self))
            let value = payload.bigEndian(at: place + 2, as: UInt32.self)
            try check(setting, value)
            settings.append((setting, value))
        }
        return .settings(settings)
    }

    /// Checks the value of a setting of a server (RFC 9113, section 6.5.2).
    private func check(_ setting: HTTP2Setting, _ value: UInt32) throws(HTTP2Error) {
        switch setting {
        case .enablePush:
            guard value == 0 else { throw HTTP2Error(.protocolError, "a server enables push") }
        case .initialWindowSize:
            guard value <= HTTP2FrameReader.maxWindowSize else {
                throw HTTP2Error(.flowControlError, "a window is larger than 2,147,483,647 bytes")
            }
        case .maxFrameSize:
            guard (16_384...16_777_215).contains(value) else {
                throw HTTP2Error(.protocolError, "the maximum size of a frame is \(value)")
            }
        case .enableConnectProtocol:
            guard value <= 1 else { throw HTTP2Error(.protocolError, "SETTINGS_ENABLE_CONNECT_PROTOCOL is \(value)") }
        default: break
        }
    }

    /// Returns the payload without its padding, which may have any content.
    private func unpadded() throws(HTTP2Error) -> UnsafeRawBufferPointer {
        guard flags.contains(.padded) else { return payload }
        guard let padding = payload.first else { throw sizeError() }
        guard Int(padding) < payload.count else {
            throw HTTP2Error(.protocolError, "the padding is longer than the frame")
        }
        return UnsafeRawBufferPointer(rebasing: payload[1..<payload.count - Int(padding)])
    }

    /// Returns a field block without the priority before it, which is deprecated (RFC 9113, section 5.3.2).
    private func withoutPriority(_ block: UnsafeRawBufferPointer) throws(HTTP2Error) -> UnsafeRawBufferPointer {
        guard flags.contains(.priority) else { return block }
        guard block.count >= 5 else { throw sizeError() }
        return UnsafeRawBufferPointer(rebasing: block[5...])
    }

    private func code(at offset: Int) -> HTTP2Error.Code {
        HTTP2Error.Code(rawValue: payload.bigEndian(at: offset, as: UInt32.self))
    }

    private func requireStream() throws(HTTP2Error) {
        guard stream != 0 else { throw HTTP2Error(.protocolError, "a frame of a stream has the connection's number") }
    }

    private func requireConnection() throws(HTTP2Error) {
        guard stream == 0 else { throw HTTP2Error(.protocolError, "a frame of the connection has a stream's number") }
    }

    private func require(_ hasSize: Bool) throws(HTTP2Error) {
        guard hasSize else { throw sizeError() }
    }

    private func sizeError(stream: HTTP2Frame.StreamID? = nil) -> HTTP2Error {
        HTTP2Error(.frameSizeError, "a frame of its type cannot have \(payload.count) bytes", stream: stream)
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the number at an offset, with its highest byte first.
    fileprivate func bigEndian<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
        Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
