/// The kind of a frame (RFC 6455, section 5.2).
package enum FrameKind: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether frames of the kind may come between the frames of a message, and are short.
    var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The bytes before the payload of a frame (RFC 6455, section 5.2).
package struct FrameHeader: Equatable {
    /// The size of the largest header that a client writes.
    static let maxSize = 14
    /// The largest payload of a control frame.
    static let maxControlLength = 125

    var kind: FrameKind
    /// Whether the frame is the last of its message.
    var isFinal = true
    /// Whether the frame begins a compressed message (RFC 7692, section 6).
    var isCompressed = false
    /// The length of the payload.
    package var length: Int
    /// The key that the payload is masked with; `nil` if it is not masked.
    var mask: UInt32?
}

extension FrameHeader {
    /// Creates the header of a frame that is a whole message, or a control frame, of a server.
    package init(_ kind: FrameKind, length: Int) {
        self.init(kind: kind, length: length)
    }
}

// MARK: Reading

extension FrameHeader {
    /// Returns the size of a header, by its first two bytes.
    package static func size(_ first: UInt8, _ second: UInt8) -> Int {
        let lengthSize =
            switch second & 0x7F {
            case 126: 2
            case 127: 8
            default: 0
            }
        return 2 + lengthSize + (second & 0x80 == 0 ? 0 : 4)
    }

    /// Reads a header of a server, which must not mask.
    ///
    /// - Parameters:
    ///   - bytes: The whole header.
    ///   - mayBeCompressed: Whether compression has been agreed on.
    package init(_ bytes: some Collection<UInt8>, mayBeCompressed: Bool) throws(WebSocketViolation) {
        var bytes = bytes[...]
        guard let first = bytes.popFirst(), let second = bytes.popFirst() else { throw .frame("an empty header") }
        guard let kind = FrameKind(rawValue: first & 0x0F) else { throw .frame("the opcode \(first & 0x0F)") }
        guard first & 0x30 == 0, first & 0x40 == 0 || mayBeCompressed else { throw .frame("reserved bits") }
        guard second & 0x80 == 0 else { throw .frame("a mask") }
        let length: UInt64 =
            switch second & 0x7F {
            case 126, 127: bytes.reduce(0) { $0 << 8 | UInt64($1) }
            case let short: UInt64(short)
            }
        guard let length = Int(exactly: length) else { throw .frame("a length of 64 bits") }
        self.init(kind: kind, isFinal: first & 0x80 != 0, isCompressed: first & 0x40 != 0, length: length)
        guard kind.isControl else { return }
        guard isFinal else { throw .frame("a fragmented control frame") }
        guard !isCompressed else { throw .frame("a compressed control frame") }
        guard length <= Self.maxControlLength else { throw .frame("a control frame of \(length) bytes") }
    }
}

// MARK: Writing

extension FrameHeader {
    /// The size of this header.
    package var size: Int {
        let lengthSize = length < 126 ? 0 : length <= 0xFFFF ? 2 : 8
        return 2 + lengthSize + (mask == nil ? 0 : 4)
    }

    /// Writes the header to the start of a buffer that has room for it.
    ///
    /// - Returns: The number of bytes.
    @discardableResult
    package func write(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        func append(_ byte: UInt8) {
            buffer[count] = byte
            count += 1
        }
        append(kind.rawValue | (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0))
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch length {
        case ..<126:
            append(maskBit | UInt8(length))
        case ...0xFFFF:
            append(maskBit | 126)
            withUnsafeBytes(of: UInt16(length).bigEndian) { $0.forEach(append) }
        default:
            append(maskBit | 127)
            withUnsafeBytes(of: UInt64(length).bigEndian) { $0.forEach(append) }
        }
        if let mask { withUnsafeBytes(of: mask) { $0.forEach(append) } }
        return count
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Copies bytes, and masks or unmasks them (RFC 6455, section 5.3).
    ///
    /// - Parameters:
    ///   - source: As many bytes as this buffer has, which may be those of this buffer.
    ///   - key: The key, as its bytes are in memory. The first byte of this buffer has the first of them.
    package func copyMasked(_ source: UnsafeRawBufferPointer, with key: UInt32) {
        let wide = UInt64(key) << 32 | UInt64(key)
        let count = Swift.min(count, source.count)
        let wholeCount = count & ~7
        for place in stride(from: 0, to: wholeCount, by: 8) {
            let bytes = source.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            storeBytes(of: bytes ^ wide, toByteOffset: place, as: UInt64.self)
        }
        Swift.withUnsafeBytes(of: key) { key in
            for place in wholeCount..<count { self[place] = source[place] ^ key[place & 3] }
        }
    }
}
