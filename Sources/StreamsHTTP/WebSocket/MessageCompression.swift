import CStreams

/// The compression of messages by zlib (RFC 7692, section 7.2.1).
///
/// Each message is compressed by itself, so that one can be withdrawn after it was compressed. It takes no memory before
/// the first message, and a quarter of a megabyte from then on.
// Safe because the queue that owns it calls it under a lock.
final class MessageDeflater: @unchecked Sendable {
    private let windowBits: Int
    private var deflater: ZlibDeflater?

    /// Creates a deflater, or returns `nil` if zlib is missing.
    ///
    /// - Parameter windowBits: The binary logarithm of the window's size, from 9 to 15.
    init?(windowBits: Int) {
        guard ZlibDecoder.zlib != nil else { return nil }
        self.windowBits = windowBits
    }

    /// Returns a message compressed; `nil` if zlib fails.
    func deflate(_ message: Data) -> Data? {
        // A negative number of bits is the format without a header.
        deflater = deflater ?? ZlibDeflater(windowBits: -windowBits)
        guard let deflater, var output = message.withUnsafeBytes({ deflater.deflate($0, ZlibSyncFlush) }),
            deflater.reset()
        else { return nil }
        // The marker of the end of each message is left out.
        output.removeLast(min(4, output.count))
        return output
    }
}

/// The decompression of messages by zlib (RFC 7692, section 7.2.2).
///
/// It takes no memory before the first compressed message.
// Safe because the reader that owns it uses it on one thread at a time.
final class MessageInflater: @unchecked Sendable {
    /// The bytes that a sender takes from the end of each message.
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    /// The size of the parts that are passed on.
    private static let partSize = 16 * 1024

    private let zlib: Zlib
    /// Whether each message is compressed by itself.
    private let isReset: Bool
    // zlib's state refers to its address.
    private let stream = UnsafeMutablePointer<ZlibStream>.allocate(capacity: 1)
    private var hasBegun = false

    /// Creates an inflater, or returns `nil` if zlib is missing.
    ///
    /// - Parameter isReset: Whether each message is compressed by itself, without the content of those before.
    init?(isReset: Bool) {
        guard let zlib = ZlibDecoder.zlib?.pointee else { return nil }
        self.zlib = zlib
        self.isReset = isReset
        stream.initialize(to: ZlibStream())
    }

    deinit {
        if hasBegun { _ = zlib.end(stream) }
        stream.deallocate()
    }

    /// Decompresses a part of a message.
    ///
    /// - Parameter consume: Takes the parts of the content. An error that it throws ends the decompression.
    func inflate(
        _ input: UnsafeRawBufferPointer, _ consume: (UnsafeRawBufferPointer) throws(WebSocketViolation) -> Void
    ) throws(WebSocketViolation) {
        if !hasBegun {
            let size = CInt(MemoryLayout<ZlibStream>.size)
            let code = zlib.begin(stream, CInt(ZlibFormatRaw.rawValue), zlib.version(), size)
            guard code == ZlibOK.rawValue else { throw .compression }
            hasBegun = true
        }
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.partSize, alignment: 16)
        defer { part.deallocate() }
        stream.pointee.input = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        // A frame's part is at most what was received at once.
        stream.pointee.inputCount = UInt32(clamping: input.count)
        repeat {
            stream.pointee.output = part.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.outputCount = UInt32(part.count)
            let code = zlib.inflate(stream, CInt(ZlibSyncFlush.rawValue))
            let count = part.count - Int(stream.pointee.outputCount)
            if count > 0 { try consume(UnsafeRawBufferPointer(rebasing: part[..<count])) }
            switch code {
            case ZlibOK.rawValue: break
            case ZlibNoProgress.rawValue: return
            // A last block ends the data. A sender may begin anew after it (RFC 7692, section 7.2.3.5).
            case ZlibStreamEnd.rawValue: guard zlib.reset(stream) == ZlibOK.rawValue else { throw .compression }
            default: throw .compression
            }
        } while stream.pointee.inputCount > 0 || stream.pointee.outputCount == 0
    }

    /// Decompresses the end of a message.
    func endMessage(
        _ consume: (UnsafeRawBufferPointer) throws(WebSocketViolation) -> Void
    ) throws(WebSocketViolation) {
        let tail = Self.tail
        let input = UnsafeMutableRawBufferPointer.allocate(byteCount: tail.count, alignment: 1)
        defer { input.deallocate() }
        input.copyBytes(from: tail)
        try inflate(UnsafeRawBufferPointer(input), consume)
        if isReset, zlib.reset(stream) != ZlibOK.rawValue { throw .compression }
    }
}
