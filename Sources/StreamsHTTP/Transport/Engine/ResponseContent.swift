import Synchronization

/// The content of a response that has not been delivered, decoded from its content codings.
struct ResponseContent {
    /// The number of bytes that are decoded at once.
    private static let pieceSize = 32 * 1024

    /// The names of the codings that the content is to be decoded from.
    var codings: [String] = []
    /// The number of bytes received, before decoding.
    private(set) var received: Int64 = 0
    /// The number of bytes that have been taken.
    private var taken: Int64 = 0
    /// The number of received bytes that the last event has told.
    private var told: Int64 = 0
    private var bodyBuffer: BodyBuffer
    /// The decoder, once the content has begun.
    private var decoder: (any ContentDecoder)?
    /// Whether the decoder may have more bytes, for which the window had no room.
    private(set) var hasRest = false

    init(_ pool: ChunkPool) {
        bodyBuffer = BodyBuffer(pool)
    }

    /// Whether the content is to be decoded.
    var isEncoded: Bool { !codings.isEmpty }

    /// Appends content that is not to be decoded.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        received += Int64(bytes.count)
        bodyBuffer.append(bytes)
    }

    /// Receives content that is not to be decoded straight into the memory that is passed on, as
    /// ``BodyBuffer/append(upTo:_:)`` does.
    mutating func append<Failure>(
        upTo count: Int64, _ receive: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        let count = try bodyBuffer.append(upTo: count, receive)
        received += Int64(count)
        return count
    }

    /// Decodes content for as long as the window is open.
    ///
    /// - Parameters:
    ///   - bytes: The encoded bytes, of which the decoded ones are removed.
    ///   - window: The window, which counts decoded bytes.
    /// - Returns: Whether all bytes are decoded.
    mutating func decode(
        _ bytes: inout UnsafeRawBufferPointer, within window: borrowing ReadWindow
    ) throws(TransportFailure) -> Bool {
        let decoder = try runningDecoder()
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        defer { piece.deallocate() }
        var count = 0
        repeat {
            hasRest = !window.isOpen()
            if hasRest { return false }
            let size = bytes.count
            count = 0
            defer { bodyBuffer.append(UnsafeRawBufferPointer(rebasing: piece[..<count])) }
            try decoder.decode(&bytes, into: piece, &count)
            received += Int64(size - bytes.count)
            window.spend(count)
        } while count == piece.count
        return true
    }

    /// Decodes what is left of the bytes that the decoder has taken.
    ///
    /// - Returns: Whether nothing is left.
    mutating func decodeRest(within window: borrowing ReadWindow) throws(TransportFailure) -> Bool {
        guard hasRest else { return true }
        var none = UnsafeRawBufferPointer(start: nil, count: 0)
        return try decode(&none, within: window)
    }

    private mutating func runningDecoder() throws(TransportFailure) -> any ContentDecoder {
        if let decoder { return decoder }
        let created = try ContentCoding.decoder(of: codings)
        decoder = created
        return created
    }

    /// Takes the content as an event; `nil` if there is none. Its chunk is empty if what was received does not decode
    /// to a byte, such as the checksum at the end of a gzip body.
    mutating func takeChunk() -> TransportEvent? {
        let chunk = bodyBuffer.next()
        guard chunk != nil || isEncoded && received > told else { return nil }
        taken += Int64(chunk?.count ?? 0)
        told = isEncoded ? received : taken
        return .chunk(chunk ?? Data(), received: told)
    }

    /// Returns whether the encoded content of a response is whole. A part of an encoded representation need not contain
    /// its end (RFC 9110, section 15.3.7).
    func isComplete(in head: HTTPResponse<Void>) -> Bool {
        decoder?.isComplete ?? true || head.status == .partialContent
    }

    /// Discards the content that has not been taken.
    mutating func discard() {
        bodyBuffer.discard()
    }
}

/// The number of bytes of a body that may be delivered, and whether receiving is paused until more are allowed.
struct ReadWindow: ~Copyable, Sendable {
    private let credit: Atomic<Int>
    private let isShut = Atomic<Bool>(false)

    init(_ bytes: Int) {
        credit = Atomic(bytes)
    }

    /// Whether receiving is paused.
    var isPaused: Bool { isShut.load(ordering: .relaxed) }

    /// Allows more bytes. Can be called from any thread.
    ///
    /// - Returns: Whether receiving was paused, so that it must be resumed.
    func allow(bytes: Int) -> Bool {
        credit.add(bytes, ordering: .sequentiallyConsistent)
        guard isShut.load(ordering: .sequentiallyConsistent) else { return false }
        return isShut.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Returns whether bytes are allowed, however many; otherwise receiving must be paused. Called on the engine's
    /// thread only.
    func isOpen() -> Bool {
        credit.load(ordering: .relaxed) > 0 || !shut()
    }

    /// The number of bytes that may be delivered; negative if more have been.
    var left: Int { credit.load(ordering: .relaxed) }

    /// Records bytes that are delivered. Called on the engine's thread only.
    func spend(_ bytes: Int) {
        credit.subtract(bytes, ordering: .relaxed)
    }

    /// Records that receiving is paused, unless bytes have been allowed meanwhile.
    private func shut() -> Bool {
        isShut.store(true, ordering: .sequentiallyConsistent)
        guard credit.load(ordering: .sequentiallyConsistent) > 0 else { return true }
        // A thread that allowed them and saw the flag has posted a command, which has no effect.
        isShut.store(false, ordering: .sequentiallyConsistent)
        return false
    }
}
