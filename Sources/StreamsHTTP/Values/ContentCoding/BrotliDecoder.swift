import CStreams

/// A decoder of the coding br (RFC 7932). Its window is at most 16 MiB.
final class BrotliDecoder: ContentDecoder {
    // Safe because it is never changed.
    nonisolated(unsafe) static let brotli = streams_load_brotli()

    private let brotli: Brotli
    private let state: OpaquePointer
    private var hasBegun = false
    private var hasEnded = false

    /// Creates a decoder, or returns `nil` if the library is missing or out of memory.
    init?() {
        guard let brotli = Self.brotli?.pointee, let state = brotli.create(nil, nil, nil) else { return nil }
        self.brotli = brotli
        self.state = state
    }

    deinit {
        brotli.destroy(state)
    }

    var isComplete: Bool { hasEnded || !hasBegun }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ count: inout Int
    ) throws(TransportFailure) {
        var rest = input.count
        var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var room = output.count - count
        var place = output.baseAddress?.advanced(by: count).assumingMemoryBound(to: UInt8.self)
        defer { count = output.count - room }
        if rest > 0 { hasBegun = true }
        if !hasEnded {
            let result = brotli.decompress(state, &rest, &next, &room, &place, nil)
            if result == BrotliFailure.rawValue {
                let code = brotli.errorCode(state)
                throw .undecodable("brotli", code: Int(code), brotli.errorText(code))
            }
            hasEnded = result == BrotliSuccess.rawValue
        }
        // Bytes after the end are ignored, as browsers do.
        input = UnsafeRawBufferPointer(rebasing: input.suffix(hasEnded ? 0 : rest))
    }
}
