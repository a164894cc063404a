import CStreams

/// A decoder of the codings gzip and deflate by zlib, which compares the checksums and lengths at the end.
final class ZlibDecoder: ContentDecoder {
    enum Coding: String {
        /// One or more members (RFC 1952, section 2.2).
        case gzip
        /// The zlib format (RFC 1950), or raw deflate data (RFC 1951), which some servers send instead.
        case deflate
    }

    private enum State {
        case empty
        case decoding
        /// The end has been decoded. In gzip, another member can follow.
        case ended
        /// Other bytes have followed the end. They and all further ones are ignored, as browsers do.
        case ignoring
    }

    // Safe because it is never changed.
    nonisolated(unsafe) static let zlib = streams_load_zlib()

    private let zlib: Zlib
    private let coding: Coding
    /// zlib's state, which refers to its address.
    private let stream = UnsafeMutablePointer<ZlibStream>.allocate(capacity: 1)
    private var state = State.empty

    /// Creates a decoder, or returns `nil` if zlib is missing.
    init?(_ coding: Coding) {
        guard let zlib = Self.zlib?.pointee else { return nil }
        self.zlib = zlib
        self.coding = coding
        stream.initialize(to: ZlibStream())
    }

    deinit {
        if state != .empty { _ = zlib.end(stream) }
        stream.deallocate()
    }

    var isComplete: Bool { state != .decoding }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ count: inout Int
    ) throws(TransportFailure) {
        while count < output.count {
            if state != .decoding {
                guard let first = input.first else { return }
                try begin(at: first)
            }
            guard state == .decoding else {
                input = UnsafeRawBufferPointer(rebasing: input[input.endIndex...])
                return
            }
            let code = stream.process(&input, into: output, &count, zlib.inflate, ZlibSyncFlush)
            switch code {
            case ZlibOK.rawValue where !input.isEmpty || count == output.count: continue
            case ZlibOK.rawValue, ZlibNoProgress.rawValue: return
            case ZlibStreamEnd.rawValue: state = .ended
            default: throw failure(code)
            }
        }
    }

    /// Begins to decode, or to decode the next member if this is its first byte. Ignores what follows otherwise.
    private func begin(at first: UInt8) throws(TransportFailure) {
        switch state {
        case .empty:
            let format: ZlibFormat
            switch coding {
            case .gzip: format = ZlibFormatGzip
            // The header names method 8 and a window of up to 32 KiB. Raw data never begins so: the lowest bits would
            // be a block without compression, before which zeros are inserted.
            case .deflate: format = first & 0x0F == 8 && first >> 4 <= 7 ? ZlibFormatZlib : ZlibFormatRaw
            }
            let size = CInt(MemoryLayout<ZlibStream>.size)
            let code = zlib.begin(stream, CInt(format.rawValue), zlib.version(), size)
            guard code == ZlibOK.rawValue else { throw failure(code) }
            state = .decoding
        case .ended where coding == .gzip && first == 0x1F:
            _ = zlib.reset(stream)
            state = .decoding
        case .ended:
            state = .ignoring
        case .decoding, .ignoring:
            break
        }
    }

    private func failure(_ code: CInt) -> TransportFailure {
        .undecodable("zlib", code: Int(code), stream.pointee.message)
    }
}
