import CLibcurl

/// The compression of messages by zlib (RFC 7692, section 7.2.1).
///
/// Each message is compressed by itself, so that one can be withdrawn after it was compressed. It takes no memory before
/// the first message, and a quarter of a megabyte from then on.
// Safe because the queue that owns it calls it under a lock.
final class MessageDeflater: @unchecked Sendable {
    private let zlib: Zlib
    private let windowBits: Int
    // zlib's state refers to its address.
    private let stream = UnsafeMutablePointer<ZlibStream>.allocate(capacity: 1)
    private var hasBegun = false

    /// Creates a deflater, or returns `nil` if zlib is missing.
    ///
    /// - Parameter windowBits: The binary logarithm of the window's size, from 9 to 15.
    init?(windowBits: Int) {
        guard let zlib = ZlibDecoder.zlib?.pointee else { return nil }
        self.zlib = zlib
        self.windowBits = windowBits
        stream.initialize(to: ZlibStream())
    }

    deinit {
        if hasBegun { _ = zlib.endDeflating(stream) }
        stream.deallocate()
    }

    /// Returns a message compressed; `nil` if zlib fails.
    func deflate(_ message: Data) -> Data? {
        guard begin() else { return nil }
        var output = Data()
        let isDone = message.withUnsafeBytes { deflate($0, to: &output) }
        guard isDone else { return nil }
        guard zlib.resetDeflating(stream) == ZlibOK.rawValue else { return nil }
        // The marker of the end of each message is left out.
        output.removeLast(min(4, output.count))
        return output
    }

    private func begin() -> Bool {
        guard !hasBegun else { return true }
        let code = zlib.beginDeflating(
            stream, CInt(ZlibLevel.rawValue), CInt(ZlibMethod.rawValue), CInt(-windowBits), CInt(ZlibMemory.rawValue),
            CInt(ZlibStrategy.rawValue), zlib.version(), CInt(MemoryLayout<ZlibStream>.size))
        hasBegun = code == ZlibOK.rawValue
        return hasBegun
    }

    private func deflate(_ input: UnsafeRawBufferPointer, to output: inout Data) -> Bool {
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
        defer { part.deallocate() }
        var rest = input[...]
        repeat {
            let next = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            rest = rest.dropFirst(next.count)
            stream.pointee.input = next.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.inputCount = UInt32(next.count)
            repeat {
                stream.pointee.output = part.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.outputCount = UInt32(part.count)
                let code = zlib.deflate(stream, CInt(ZlibSyncFlush.rawValue))
                guard code == ZlibOK.rawValue || code == ZlibNoProgress.rawValue else { return false }
                output.append(contentsOf: part[..<(part.count - Int(stream.pointee.outputCount))])
            } while stream.pointee.outputCount == 0
        } while !rest.isEmpty
        return true
    }
}
