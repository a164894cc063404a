/// The writer of the frames of one message, or of a control frame.
///
/// A message that does not fit into the memory at hand is fragmented (RFC 6455, section 5.4).
struct FrameWriter {
    private let kind: FrameKind
    private let isCompressed: Bool
    private let payload: Data
    /// The number of bytes of the payload that have been written.
    private var count = 0
    private(set) var isOver = false

    /// - Parameters:
    ///   - kind: The kind of the first frame.
    ///   - payload: The content, compressed if it is so.
    init(_ kind: FrameKind, _ payload: Data, isCompressed: Bool = false) {
        self.kind = kind
        self.payload = payload
        self.isCompressed = isCompressed
    }

    /// Whether a part has been written.
    private(set) var hasBegun = false

    /// The least room that is worth a fragment.
    private static let leastRoom = FrameHeader.maxSize + 1024

    /// Writes as much as fits, as one frame.
    ///
    /// - Parameter mask: A key that cannot be foreseen (RFC 6455, section 5.3).
    /// - Returns: The number of bytes; zero if there is not enough room.
    mutating func write(to buffer: UnsafeMutableRawBufferPointer, mask: UInt32) -> Int {
        let left = payload.count - count
        guard buffer.count >= min(left + FrameHeader.maxSize, Self.leastRoom) else { return 0 }
        let length = min(left, buffer.count - FrameHeader.maxSize)
        let header = FrameHeader(
            kind: hasBegun ? .continuation : kind, isFinal: length == left, isCompressed: isCompressed && !hasBegun,
            length: length, mask: mask)
        let headerSize = header.write(to: buffer)
        let content = UnsafeMutableRawBufferPointer(rebasing: buffer[headerSize..<(headerSize + length)])
        payload.withUnsafeBytes {
            content.copyMasked(UnsafeRawBufferPointer(rebasing: $0[count..<(count + length)]), with: mask)
        }
        count += length
        hasBegun = true
        isOver = count == payload.count
        return headerSize + length
    }
}

/// The keys that frames are masked with. Each is used once, and none can be foreseen (RFC 6455, section 5.3).
///
/// The system is asked for many at a time: that takes as long as for one, which is longer than to write a small frame.
struct MaskKeys {
    /// The number of keys that are drawn at once. Each socket that has sent a frame keeps those that are left.
    private static let count = 32

    private var keys: [UInt32] = []

    /// Returns a key that has not been used.
    mutating func next() -> UInt32 {
        if keys.isEmpty { draw() }
        var random = SystemRandomNumberGenerator()
        return keys.popLast() ?? random.next()
    }

    /// Draws keys; none if the system has no random bytes yet.
    private mutating func draw() {
        keys = Array(unsafeUninitializedCapacity: Self.count) { keys, count in
            let memory = UnsafeMutableRawBufferPointer(keys)
            guard let address = memory.baseAddress, getentropy(address, memory.count) == 0 else { return }
            count = Self.count
        }
    }
}
