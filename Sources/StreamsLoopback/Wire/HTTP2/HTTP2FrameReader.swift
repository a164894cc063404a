/// A frame of a client.
struct HTTP2ClientFrame: Equatable {
    let type: UInt8
    let flags: UInt8
    let stream: Int
    let payload: [UInt8]

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
}

/// A parser of the frames of a client.
struct HTTP2FrameReader {
    /// The largest payload that the client may send.
    var maxFrameSize = HTTP2Constants.maxFrameSize
    private var unread: [UInt8] = []
    private var start = 0

    mutating func append(_ bytes: some Sequence<UInt8>) {
        unread.removeSubrange(..<start)
        start = 0
        unread.append(contentsOf: bytes)
    }

    /// Returns the next frame; `nil` if it is not whole yet.
    mutating func next() throws(HTTP2Violation) -> HTTP2ClientFrame? {
        guard unread.count - start >= 9 else { return nil }
        let head = unread[start..<(start + 9)]
        let length = number(head.prefix(3))
        guard length <= maxFrameSize else {
            throw HTTP2Violation(.frameSizeError, "a frame of \(length) bytes, not \(maxFrameSize)")
        }
        guard unread.count - start - 9 >= length else { return nil }
        let payload = Array(unread[(start + 9)..<(start + 9 + length)])
        let frame = HTTP2ClientFrame(
            type: head[start + 3], flags: head[start + 4], stream: number(head.suffix(4)) & HTTP2Constants.maxWindow,
            payload: payload)
        start += 9 + length
        return frame
    }
}

extension HTTP2ClientFrame {
    /// Returns the content without its padding (RFC 9113 section 6.1), and without the priority of HEADERS.
    func content() throws(HTTP2Violation) -> ArraySlice<UInt8> {
        var content = payload[...]
        var padding = 0
        if has(HTTP2Flag.padded) {
            guard let first = content.popFirst() else { throw HTTP2Violation(.frameSizeError, "no length of padding") }
            padding = Int(first)
        }
        if type == HTTP2FrameType.headers, has(HTTP2Flag.priority) {
            guard content.count >= 5 else { throw HTTP2Violation(.frameSizeError, "a truncated priority") }
            content = content.dropFirst(5)
        }
        guard padding <= content.count else {
            throw HTTP2Violation(.protocolError, "a padding of \(padding) bytes in a frame of \(payload.count)")
        }
        return content.dropLast(padding)
    }
}
