import CStreams

/// A compression by zlib, in pieces. It takes a quarter of a megabyte until it is released.
final class ZlibDeflater {
    private let zlib: Zlib
    // zlib's state refers to its address.
    private let stream: UnsafeMutablePointer<ZlibStream>

    /// Begins a compression, or returns `nil` if zlib is missing or has no memory.
    ///
    /// - Parameters:
    ///   - windowBits: The binary logarithm of the window's size, which also says the format, as zlib specifies.
    ///   - level: The level from 1, the fastest, to 9; zlib's default if it is -1.
    init?(windowBits: Int, level: Int = Int(ZlibLevel.rawValue)) {
        guard let zlib = ZlibDecoder.zlib?.pointee else { return nil }
        let stream = UnsafeMutablePointer<ZlibStream>.allocate(capacity: 1)
        stream.initialize(to: ZlibStream())
        let code = zlib.beginDeflating(
            stream, CInt(level), CInt(ZlibMethod.rawValue), CInt(windowBits), CInt(ZlibMemory.rawValue),
            CInt(ZlibStrategy.rawValue), zlib.version(), CInt(MemoryLayout<ZlibStream>.size))
        guard code == ZlibOK.rawValue else {
            stream.deallocate()
            return nil
        }
        self.zlib = zlib
        self.stream = stream
    }

    deinit {
        _ = zlib.endDeflating(stream)
        stream.deallocate()
    }

    /// Compresses as much as fits.
    ///
    /// - Parameters:
    ///   - input: The bytes to compress, from whose start the compressed ones are removed.
    ///   - output: The memory for the compressed bytes.
    ///   - count: The number of bytes at the start of the output that are filled. If they do not fill it, no input is
    ///     left, and the flush is complete. Otherwise the call is repeated with the same flush.
    ///   - flush: The kind of flush after the input.
    /// - Returns: Whether zlib has succeeded.
    func deflate(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ count: inout Int,
        _ flush: ZlibFlush
    ) -> Bool {
        while count < output.count {
            // zlib counts in 32 bits, and a flush must follow the last of the input.
            let isAll = input.count <= UInt32.max
            switch stream.process(&input, into: output, &count, zlib.deflate, isAll ? flush : ZlibNoFlush) {
            case ZlibOK.rawValue where !input.isEmpty: continue
            case ZlibOK.rawValue, ZlibStreamEnd.rawValue, ZlibNoProgress.rawValue: return true
            default: return false
            }
        }
        return true
    }

    /// Compresses bytes to the end.
    ///
    /// - Parameter flush: The kind of flush after the input.
    /// - Returns: `nil` if zlib fails.
    func deflate(_ input: UnsafeRawBufferPointer, _ flush: ZlibFlush) -> Data? {
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
        defer { part.deallocate() }
        var (output, rest) = (Data(), input)
        while true {
            var count = 0
            guard deflate(&rest, into: part, &count, flush) else { return nil }
            output.append(contentsOf: part[..<count])
            if count < part.count { return output }
        }
    }

    /// Begins another compression with the same settings.
    ///
    /// - Returns: Whether zlib has succeeded.
    func reset() -> Bool { zlib.resetDeflating(stream) == ZlibOK.rawValue }
}
