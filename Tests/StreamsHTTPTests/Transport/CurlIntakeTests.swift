import Testing

@testable import StreamsHTTP

@Suite struct CurlIntakeTests {
    private static let block = ChunkPool.blockSize

    private func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }

    private func append(_ data: Data, to intake: inout CurlIntake) {
        data.withUnsafeBytes { intake.append($0) }
    }

    private func next(of intake: inout CurlIntake) throws -> Data {
        let chunk = intake.next()
        return try #require(chunk)
    }

    private func chunks(of intake: inout CurlIntake) -> [Data] {
        var chunks: [Data] = []
        while let chunk = intake.next() { chunks.append(chunk) }
        return chunks
    }

    /// An intake that gathers what comes in blocks.
    private func largeIntake() -> CurlIntake {
        var intake = CurlIntake()
        append(bytes(Self.block), to: &intake)
        intake.discard()
        return intake
    }

    private func address(_ data: Data) -> Int {
        data.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    }

    @Test(arguments: [1, 1000, 16 * 1024, 60 * 1024, 300_000])
    func everyByteComesInOrder(size: Int) {
        var intake = CurlIntake()
        #expect(intake.isEmpty)
        var (expected, gathered) = (Data(), Data())
        for turn in 0..<8 {
            for part in 0...turn {
                let piece = Data(repeating: UInt8(turn * 8 + part), count: size)
                append(piece, to: &intake)
                expected += piece
            }
            #expect(!intake.isEmpty)
            for chunk in chunks(of: &intake) {
                #expect(!chunk.isEmpty && chunk.count <= Self.block)
                gathered += chunk
            }
            #expect(intake.isEmpty)
        }
        let isExact = gathered == expected
        #expect(isExact)
    }

    @Test func aLargeBodyComesInFewChunks() {
        var intake = largeIntake()
        for _ in 0..<64 { append(bytes(16 * 1024), to: &intake) }
        #expect(chunks(of: &intake).map(\.count) == [Int](repeating: Self.block, count: 4))
    }

    @Test func memoryIsUsedAgain() throws {
        var intake = largeIntake()
        var addresses: Set<Int> = []
        for _ in 0..<10 {
            append(bytes(Self.block), to: &intake)
            try addresses.insert(address(next(of: &intake)))
        }
        #expect(addresses.count == 1)
    }

    @Test func memoryOfAChunkThatSomebodyKeepsIsNotUsedAgain() throws {
        var intake = largeIntake()
        let content = bytes(Self.block)
        append(content, to: &intake)
        let kept = try next(of: &intake)
        for _ in 0..<10 {
            append(Data(repeating: 7, count: Self.block), to: &intake)
            intake.discard()
        }
        let isUnchanged = kept == content
        #expect(isUnchanged)
    }

    @Test func aChunkMayBeChanged() throws {
        var intake = largeIntake()
        append(bytes(2 * Self.block), to: &intake)
        var first = try next(of: &intake)
        let second = try next(of: &intake)
        first[0] = 200
        first.append(second)
        var expected = bytes(2 * Self.block)
        expected[0] = 200
        append(Data(repeating: 7, count: 2 * Self.block), to: &intake)
        let isExact = first == expected
        #expect(isExact)
    }

    /// A stream that says little at a time must not hold a block for each word.
    @Test func aSmallChunkHoldsNoBlock() throws {
        var intake = largeIntake()
        append(bytes(10), to: &intake)
        let kept = try next(of: &intake)
        #expect(kept == bytes(10))
        append(bytes(Self.block), to: &intake)
        let first = try address(next(of: &intake))
        append(bytes(10), to: &intake)
        let other = try next(of: &intake)
        append(bytes(Self.block), to: &intake)
        let again = try address(next(of: &intake))
        #expect(again == first)
        #expect(kept == other)
    }

    @Test func partsOfABlockAreHandedOverAsTheyAre() throws {
        var intake = largeIntake()
        append(bytes(60 * 1024), to: &intake)
        let first = try next(of: &intake)
        append(bytes(60 * 1024), to: &intake)
        let second = try next(of: &intake)
        #expect(address(second) == address(first) + 60 * 1024)
        let isExact = first == bytes(60 * 1024) && second == first
        #expect(isExact)
    }

    /// What is left of a block is not filled over and over with less than is worth a part.
    @Test func theEndOfABlockIsUsedOnce() throws {
        var intake = largeIntake()
        append(bytes(Self.block - 100), to: &intake)
        _ = try next(of: &intake)
        append(bytes(60 * 1024), to: &intake)
        #expect(chunks(of: &intake).map(\.count) == [100, 60 * 1024 - 100])
    }

    @Test func chunksOutliveTheIntake() throws {
        let kept: Data
        do {
            var intake = largeIntake()
            append(bytes(3 * Self.block), to: &intake)
            kept = try next(of: &intake)
        }
        let isUnchanged = kept == bytes(Self.block)
        #expect(isUnchanged)
    }
}
