/// Verifies a file against the digests that it should have, on threads of the system's, while another thread writes it.
///
/// The file is read behind the thread that writes it, so no bytes are buffered for the verification, and neither thread
/// waits for the other. Each byte is read once for all digests that begin at the same offset.
final class DigestVerification: Sendable {
    fileprivate struct Hash {
        /// The offset in the file of the first hashed byte.
        let start: Int64
        /// The offset of the next byte to hash.
        var position: Int64
        var function: SHA2
    }

    fileprivate struct Expectation {
        let checksum: FileChecksum
        let start: Int64

        func isFor(_ hash: Hash) -> Bool {
            hash.start == start && hash.function.algorithm == checksum.algorithm
        }
    }

    fileprivate struct State {
        var expectations: [Expectation] = []
        var hashes: [Hash] = []
        /// The size of the file so far.
        var size: Int64 = 0
        /// Whether the file has its final size.
        var isEnding = false
        var isCancelled = false
        /// Whether a thread is hashing, or about to.
        var isRunning = false
        var failure: FileError?
    }

    /// The outcome of a verification.
    enum Outcome {
        /// All digests are right. There may be none.
        case verified
        /// The first digest that is wrong.
        case mismatch(FileChecksum)
    }

    /// The number of bytes that are hashed before other work gets its turn.
    static let pieceSize: Int64 = 256 * 1024

    private let file: OpenFile
    /// Runs work on a thread of the system's.
    private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Called when the outcome is known, if it was not when the end was announced.
    private let onEnd: @Sendable () -> Void
    private let state = Locked(State())

    /// Creates the verification of a file.
    ///
    /// - Parameters:
    ///   - file: The file, of which no byte that counts is changed from now on.
    ///   - run: Runs work on a thread of the system's.
    ///   - onEnd: Called by a thread of the system's when the outcome is known, if it was not when ``end(at:_:from:)``
    ///     returned.
    init(
        of file: OpenFile, run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.file = file
        self.run = run
        self.onEnd = onEnd
    }

    /// Whether there is a digest to verify.
    var isVerifying: Bool { state.withLock { !$0.expectations.isEmpty } }

    /// The outcome; `nil` until the whole file has been hashed.
    ///
    /// - Throws: The error with which the file could not be read.
    func outcome() throws(FileError) -> Outcome? {
        let state = state.withLock { $0 }
        if let failure = state.failure { throw failure }
        guard state.isEnding, state.nextPiece == nil else { return nil }
        let mismatch = state.expectations.first { expectation in
            state.hashes.first(where: expectation.isFor).map { FileChecksum($0.function) } != expectation.checksum
        }
        return mismatch.map { .mismatch($0.checksum) } ?? .verified
    }

    /// Replaces the expected digests. What has been hashed for one of them is kept.
    ///
    /// - Parameters:
    ///   - checksum: The expected checksum of the file.
    ///   - headers: The fields of the response that continues the file.
    ///   - offset: The offset of the response's content in the file.
    func expect(_ checksum: FileChecksum?, _ headers: HTTPHeaders, from offset: Int64) {
        state.withLock { state in
            state.expectations = checksum.map { [Expectation(checksum: $0, start: 0)] } ?? []
            state.expect(headers, from: offset)
            state.hashes.removeAll { hash in !state.expectations.contains { $0.isFor(hash) } }
        }
    }

    /// Continues with the bytes that have been written by now.
    func advance(to size: Int64) {
        start { $0.size = size }
    }

    /// Announces that the file is complete.
    ///
    /// - Parameters:
    ///   - size: The size of the file.
    ///   - trailers: The fields after the content (RFC 9530, section 6).
    ///   - offset: The offset of the response's content in the file.
    func end(at size: Int64, _ trailers: HTTPHeaders = [:], from offset: Int64 = 0) {
        start { state in
            state.expect(trailers, from: offset)
            state.size = size
            state.isEnding = true
        }
    }

    /// Ends the verification without an outcome. A thread that is hashing ends soon after.
    func cancel() {
        state.withLock { $0.isCancelled = true }
    }

    /// Changes the state, and starts to hash if there is something to do.
    private func start(_ change: (inout State) -> Void) {
        let isIdle = state.withLock { state in
            change(&state)
            guard !state.isRunning, state.nextPiece != nil else { return false }
            state.isRunning = true
            return true
        }
        if isIdle { run { self.hashNextPiece() } }
    }

    private func hashNextPiece() {
        let (piece, hasEnded) = state.withLock { state in
            let piece = state.isCancelled ? nil : state.nextPiece
            state.isRunning = piece != nil
            return (piece, state.isEnding && !state.isCancelled)
        }
        guard var piece else {
            if hasEnded { onEnd() }
            return
        }
        do throws(FileError) {
            try piece.hash(file)
            state.withLock { $0.replace(piece.hashes) }
        } catch {
            state.withLock { $0.failure = error }
        }
        run { self.hashNextPiece() }
    }

    /// A part of the file that is hashed at once, and the hashes that lack it.
    fileprivate struct Piece {
        let position: Int64
        let count: Int
        var hashes: [Hash]

        mutating func hash(_ file: OpenFile) throws(FileError) {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
            defer { buffer.deallocate() }
            try file.read(into: buffer, at: position)
            for index in hashes.indices {
                hashes[index].function.update(UnsafeRawBufferPointer(buffer))
                hashes[index].position += Int64(count)
            }
        }
    }
}

extension DigestVerification.State {
    /// The next part of the file to hash; `nil` if there is none yet. A part of the usual size, unless it is the last.
    fileprivate var nextPiece: DigestVerification.Piece? {
        guard failure == nil, let position = hashes.map(\.position).min() else { return nil }
        let rest = size - position
        guard rest > 0, isEnding || rest >= DigestVerification.pieceSize else { return nil }
        // Up to where another hash begins, which then needs the same bytes.
        let distances = hashes.map { $0.position - position }.filter { $0 > 0 }
        return DigestVerification.Piece(
            position: position, count: Int(min(rest, DigestVerification.pieceSize, distances.min() ?? rest)),
            hashes: hashes.filter { $0.position == position })
    }

    fileprivate mutating func expect(_ headers: HTTPHeaders, from offset: Int64) {
        // Of the whole representation, and of what this response contains of it.
        expectations += headers.digests("Repr-Digest").map { .init(checksum: $0, start: 0) }
        expectations += headers.digests("Content-Digest").map { .init(checksum: $0, start: offset) }
        for expectation in expectations where !hashes.contains(where: expectation.isFor) {
            let function = SHA2(expectation.checksum.algorithm)
            hashes.append(.init(start: expectation.start, position: expectation.start, function: function))
        }
    }

    /// Replaces hashes by continued ones, unless they have been dropped.
    fileprivate mutating func replace(_ continued: [DigestVerification.Hash]) {
        for hash in continued {
            let index = hashes.firstIndex {
                $0.start == hash.start && $0.function.algorithm == hash.function.algorithm
            }
            if let index { hashes[index] = hash }
        }
    }
}
