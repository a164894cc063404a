import StreamsHTTP

/// A reader of the frames of a client, which are masked.
struct ClientFrameReader {
    private static let maskSize = 4

    private var reader = FrameReader()
    private var unread: [UInt8] = []

    /// Reads the bytes that follow.
    ///
    /// - Returns: The messages and control frames that they complete.
    mutating func read(_ bytes: some Sequence<UInt8>) throws(WebSocketViolation) -> [FrameReader.Item] {
        unread.append(contentsOf: bytes)
        var items: [FrameReader.Item] = []
        while let frame = try takeFrame() {
            if let item = try next(frame) { items.append(item) }
        }
        return items
    }

    private mutating func next(_ frame: [UInt8]) throws(WebSocketViolation) -> FrameReader.Item? {
        try frame.withUnsafeBytes { bytes in
            var input = bytes
            return Result { () throws(WebSocketViolation) in try reader.next(&input) }
        }.get()
    }

    /// Takes the next frame, without its mask; `nil` if it is not whole yet.
    private mutating func takeFrame() throws(WebSocketViolation) -> [UInt8]? {
        guard unread.count >= 2 else { return nil }
        let headerSize = FrameHeader.size(unread[0], unread[1])
        guard unread[1] & 0x80 != 0 else { throw .frame("no mask") }
        guard unread.count >= headerSize else { return nil }
        var frame = Array(unread[..<(headerSize - Self.maskSize)])
        frame[1] &= 0x7F
        let length = try FrameHeader(frame, mayBeCompressed: false).length
        guard unread.count - headerSize >= length else { return nil }
        let mask = unread.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: headerSize - Self.maskSize, as: UInt32.self)
        }
        var payload = Array(unread[headerSize..<(headerSize + length)])
        payload.withUnsafeMutableBytes { $0.copyMasked(UnsafeRawBufferPointer($0), with: mask) }
        unread.removeFirst(headerSize + length)
        return frame + payload
    }
}
