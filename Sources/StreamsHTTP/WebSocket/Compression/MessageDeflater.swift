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
