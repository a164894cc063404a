/// The kind of a frame (RFC 6455, section 5.2).
enum FrameKind: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA
}

/// A frame that a client has sent, unmasked.
struct ClientFrame {
    let kind: FrameKind
    let isFinal: Bool
    let payload: [UInt8]
}

/// A parser of the frames of a client.
struct ClientFrameReader {
    private var unread: [UInt8] = []

    mutating func append(_ bytes: some Sequence<UInt8>) {
        unread.append(contentsOf: bytes)
    }

    /// Returns the next frame; `nil` if it is not whole yet.
    mutating func next() throws(Line.Break) -> ClientFrame? {
        guard unread.count >= 2 else { return nil }
        guard unread[1] & 0x80 != 0 else { throw .malformedFrame(reason: "a frame without a mask") }
        guard unread[0] & 0x70 == 0, let kind = FrameKind(rawValue: unread[0] & 0x0F) else {
            throw .malformedFrame(reason: "a frame that begins with \(unread[0])")
        }
        let shortLength = Int(unread[1] & 0x7F)
        let lengthSize = shortLength == 126 ? 2 : shortLength == 127 ? 8 : 0
        let headerSize = 2 + lengthSize + 4
        guard unread.count >= headerSize else { return nil }
        let longLength = unread[2..<(2 + lengthSize)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let length = lengthSize == 0 ? shortLength : Int(exactly: longLength), length <= Int.max - headerSize
        else {
            throw .malformedFrame(reason: "a frame of \(longLength) bytes")
        }
        guard unread.count >= headerSize + length else { return nil }
        let mask = Array(unread[(headerSize - 4)..<headerSize])
        var payload = Array(unread[headerSize..<(headerSize + length)])
        for place in payload.indices { payload[place] ^= mask[place & 3] }
        defer { unread.removeFirst(headerSize + length) }
        return ClientFrame(kind: kind, isFinal: unread[0] & 0x80 != 0, payload: payload)
    }
}

extension FrameKind {
    /// Returns a frame of a server, which is not masked.
    func frame(_ payload: some Collection<UInt8>) -> [UInt8] {
        var frame = [0x80 | rawValue]
        switch payload.count {
        case ..<126: frame.append(UInt8(payload.count))
        case ...0xFFFF: frame += [126] + bigEndian(UInt16(payload.count))
        default: frame += [127] + bigEndian(UInt64(payload.count))
        }
        return frame + payload
    }
}
