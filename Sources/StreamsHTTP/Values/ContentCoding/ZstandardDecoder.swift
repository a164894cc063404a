import CStreams

/// A decoder of the coding zstd (RFC 8878): of one or more frames, with the checksums that they have.
final class ZstandardDecoder: ContentDecoder {
    private enum State {
        case empty
        case decoding
        /// A frame has ended. Another can follow.
        case ended
        /// Other bytes have followed the last frame. They and all further ones are ignored, as browsers do.
        case ignoring
    }

    /// The binary logarithm of the largest window: 8 MiB, the limit of the coding (RFC 9659, section 3).
    private static let maxWindowLog: CInt = 23

    // Safe because it is never changed.
    nonisolated(unsafe) static let zstandard = streams_load_zstandard()

    private let zstandard: Zstandard
    private let context: OpaquePointer
    private var state = State.empty

    /// Creates a decoder, or returns `nil` if the library is missing or out of memory.
    init?() {
        guard let zstandard = Self.zstandard?.pointee, let context = zstandard.create() else { return nil }
        self.zstandard = zstandard
        self.context = context
        _ = zstandard.set(context, CInt(ZstandardMaxWindowLog.rawValue), Self.maxWindowLog)
    }

    deinit {
        _ = zstandard.destroy(context)
    }

    var isComplete: Bool { state != .decoding }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ count: inout Int
    ) throws(TransportFailure) {
        var source = ZstandardInput(bytes: input.baseAddress, count: input.count, position: 0)
        var target = ZstandardOutput(bytes: output.baseAddress, count: output.count, position: count)
        defer { count = target.position }
        while target.position < target.count {
            if state != .decoding {
                guard source.position < source.count else { break }
                let beginsFrame = Self.beginsFrame(input[source.position])
                // The library may decode formats from before the specification, too.
                guard state != .empty || beginsFrame else { throw TransportFailure(.transfer(.undecodableContent)) }
                if state == .ended, !beginsFrame { state = .ignoring }
                guard state != .ignoring else {
                    source.position = source.count
                    break
                }
            }
            let result = zstandard.decompress(context, &target, &source)
            guard zstandard.isError(result) == 0 else {
                throw .undecodable("zstd", code: 0 &- result, zstandard.errorText(result))
            }
            state = result == 0 ? .ended : .decoding
            if source.position == source.count { break }
        }
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(source.position))
    }

    /// Returns whether this is the first byte of a frame, or of one to skip.
    private static func beginsFrame(_ byte: UInt8) -> Bool { byte == 0x28 || byte >> 4 == 5 }
}
