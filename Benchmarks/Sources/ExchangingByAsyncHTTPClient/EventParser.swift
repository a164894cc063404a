import NIOCore

/// A server-sent event.
struct Event {
    var type = "message"
    var data: String
    var id: String
}

/// A parser of server-sent events, as a user of AsyncHTTPClient writes it: it takes lines from the buffers of the body.
struct EventParser {
    private var buffer = ByteBuffer()
    private var type = ""
    private var data: String?
    private var id = ""

    mutating func append(_ piece: ByteBuffer) {
        if buffer.readableBytes == 0 {
            buffer = piece
        } else {
            buffer.discardReadBytes()
            buffer.writeImmutableBuffer(piece)
        }
    }

    /// Returns the next event; `nil` if more bytes are needed.
    mutating func next() -> Event? {
        while let line = nextLine() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                if line.isEmpty, let event = dispatch() { return event }
                continue
            }
            var value = line[line.index(after: colon)...]
            if value.first == UInt8(ascii: " ") { value.removeFirst() }
            let name = line[..<colon]
            if name.elementsEqual("data".utf8) {
                let text = String(decoding: value, as: UTF8.self)
                data = data.map { "\($0)\n\(text)" } ?? text
            } else if name.elementsEqual("id".utf8) {
                id = String(decoding: value, as: UTF8.self)
            } else if name.elementsEqual("event".utf8) {
                type = String(decoding: value, as: UTF8.self)
            }
        }
        return nil
    }

    /// Returns the next line, which ends with LF or CRLF.
    private mutating func nextLine() -> ByteBufferView? {
        let bytes = buffer.readableBytesView
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        var line = bytes[..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        buffer.moveReaderIndex(to: end + 1)
        return line
    }

    private mutating func dispatch() -> Event? {
        defer { (type, data) = ("", nil) }
        return data.map { Event(type: type.isEmpty ? "message" : type, data: $0, id: id) }
    }
}
