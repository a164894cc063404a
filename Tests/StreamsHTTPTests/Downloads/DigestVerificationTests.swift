import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// The verification of a file that grows, on a thread that the test plays.
@Suite(.reservesDescriptors) struct DigestVerificationTests {
    private static let piece = Int(DigestVerification.pieceSize)
    private static let size = 3 * piece + 1000

    private let folder: ScratchFolder
    private let bytes = GeneratedBytes.bytes(0..<size)
    private let work = Watched<[@Sendable () -> Void]>([])
    private let endCount = Watched(0)

    init() throws {
        folder = try ScratchFolder()
        try Data(bytes).write(to: URL(filePath: "\(folder.path)/file"))
    }

    private func makeVerification() throws -> DigestVerification {
        let descriptor = open("\(folder.path)/file", O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        return DigestVerification(
            of: OpenFile(path: "\(folder.path)/file", descriptor: descriptor),
            run: { [work] next in work.update { $0.append(next) } },
            onEnd: { [endCount] in endCount.update { $0 += 1 } })
    }

    /// Does all work.
    ///
    /// - Returns: The number of pieces of work.
    @discardableResult
    private func doWork() -> Int {
        var count = 0
        while let next = work.update({ $0.isEmpty ? nil : $0.removeFirst() }) {
            next()
            count += 1
        }
        return count
    }

    private func isVerified(_ verification: DigestVerification) throws -> Bool? {
        switch try verification.outcome() {
        case .verified: true
        case .mismatch: false
        case nil: nil
        }
    }

    @Test func hashesAFileWhileItGrows() throws {
        let verification = try makeVerification()
        verification.expect(FileChecksum(sha256: bytes), [:], from: 0)
        verification.advance(to: 1)
        // Less than a piece waits for more.
        #expect(doWork() == 0)
        verification.advance(to: Int64(Self.piece))
        verification.advance(to: Int64(2 * Self.piece + 1))
        // The last piece of work finds nothing to do.
        #expect(doWork() == 3)
        verification.end(at: Int64(Self.size))
        #expect(try isVerified(verification) == nil && endCount.value == 0)
        #expect(doWork() == 3)
        #expect(try isVerified(verification) == true && endCount.value == 1)
    }

    /// The hash of an earlier attempt is continued, so no byte is read again.
    @Test func laterAttemptsContinueTheHash() throws {
        let verification = try makeVerification()
        for attempt in 1...3 {
            verification.expect(FileChecksum(sha256: bytes), [:], from: Int64(attempt * Self.piece))
            verification.advance(to: Int64(attempt * Self.piece))
            #expect(doWork() == 2)
        }
        verification.end(at: Int64(Self.size))
        #expect(doWork() == 2)
        #expect(try isVerified(verification) == true)
    }

    @Test(arguments: [true, false]) func hashesWithDifferentOffsetsShareWhatIsRead(isRight: Bool) throws {
        let verification = try makeVerification()
        let offset = 1000
        let part = FileChecksum(sha256: Array(bytes[offset...]) + (isRight ? [] : [0]))
        verification.expect(FileChecksum(sha256: bytes), ["Content-Digest": part.field], from: Int64(offset))
        verification.end(at: Int64(Self.size))
        // The part before the offset, three pieces, and the end.
        #expect(doWork() == 5)
        #expect(try isVerified(verification) == isRight)
    }

    @Test func digestsInTrailersAreVerified() throws {
        for wrong in [[], [0]] as [[UInt8]] {
            let verification = try makeVerification()
            verification.expect(nil, [:], from: 0)
            verification.advance(to: Int64(Self.size))
            #expect(doWork() == 0)
            verification.end(at: Int64(Self.size), ["Repr-Digest": FileChecksum(sha256: bytes + wrong).field])
            doWork()
            #expect(try isVerified(verification) == wrong.isEmpty && verification.isVerifying)
        }
    }

    @Test func nothingIsReadWithoutADigest() throws {
        let verification = try makeVerification()
        verification.advance(to: Int64(Self.size))
        verification.end(at: Int64(Self.size))
        #expect(try isVerified(verification) == true && !verification.isVerifying)
        #expect(doWork() == 0 && endCount.value == 0)
    }

    @Test func aCancelledVerificationEndsSoon() throws {
        let verification = try makeVerification()
        verification.expect(FileChecksum(sha256: bytes), [:], from: 0)
        verification.end(at: Int64(Self.size))
        verification.cancel()
        #expect(doWork() == 1)
        #expect(endCount.value == 0)
    }

    @Test func failsWhenTheFileIsShorter() throws {
        let verification = try makeVerification()
        verification.expect(FileChecksum(sha256: bytes), [:], from: 0)
        verification.end(at: Int64(Self.size + 1))
        doWork()
        #expect(endCount.value == 1)
        let error = #expect(throws: FileError.self) { try verification.outcome() }
        #expect(error?.code == EIO)
    }
}
