import Testing

@testable import StreamsHTTP

@Suite struct BodyBufferTests {
    private static let block = ChunkPool.blockSize

    private func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }

    private func append(_ data: Data, to bodyBuffer: inout BodyBuffer) {
        data.withUnsafeBytes { bodyBuffer.append($0) }
    }

    private func next(of bodyBuffer: inout BodyBuffer) throws -> Data {
        let chunk = bodyBuffer.next()
        return try #require(chunk)
    }

    private func chunks(of bodyBuffer: inout BodyBuffer) -> [Data] {
        var chunks: [Data] = []
        while let chunk = bodyBuffer.next() { chunks.append(chunk) }
        return chunks
    }

    /// A buffer that gathers what comes in blocks.
    private func largeBuffer(_ pool: ChunkPool = ChunkPool()) -> BodyBuffer {
        var bodyBuffer = BodyBuffer(pool)
        append(bytes(Self.block), to: &bodyBuffer)
        bodyBuffer.discard()
        return bodyBuffer
    }

    private func address(_ data: Data) -> Int {
        data.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    }

    @Test(arguments: [1, 1000, 16 * 1024, 60 * 1024, 300_000])
    func everyByteComesInOrder(size: Int) {
        var bodyBuffer = BodyBuffer(ChunkPool())
        #expect(bodyBuffer.isEmpty)
        var (expected, gathered) = (Data(), Data())
        for turn in 0..<8 {
            for part in 0...turn {
                let piece = Data(repeating: UInt8(turn * 8 + part), count: size)
                append(piece, to: &bodyBuffer)
                expected += piece
            }
            #expect(!bodyBuffer.isEmpty)
            for chunk in chunks(of: &bodyBuffer) {
                #expect(!chunk.isEmpty && chunk.count <= Self.block)
                gathered += chunk
            }
            #expect(bodyBuffer.isEmpty)
        }
        let isExact = gathered == expected
        #expect(isExact)
    }

    @Test func aLargeBodyComesInFewChunks() {
        var bodyBuffer = largeBuffer()
        for _ in 0..<64 { append(bytes(16 * 1024), to: &bodyBuffer) }
        #expect(chunks(of: &bodyBuffer).map(\.count) == [Int](repeating: Self.block, count: 16))
    }

    @Test func memoryIsUsedAgain() throws {
        var bodyBuffer = largeBuffer()
        var addresses: Set<Int> = []
        for _ in 0..<10 {
            append(bytes(Self.block), to: &bodyBuffer)
            try addresses.insert(address(next(of: &bodyBuffer)))
        }
        #expect(addresses.count == 1)
    }

    @Test func memoryOfAChunkThatSomebodyKeepsIsNotUsedAgain() throws {
        var bodyBuffer = largeBuffer()
        let content = bytes(Self.block)
        append(content, to: &bodyBuffer)
        let kept = try next(of: &bodyBuffer)
        for _ in 0..<10 {
            append(Data(repeating: 7, count: Self.block), to: &bodyBuffer)
            bodyBuffer.discard()
        }
        let isUnchanged = kept == content
        #expect(isUnchanged)
    }

    @Test func aChunkMayBeChanged() throws {
        var bodyBuffer = largeBuffer()
        append(bytes(2 * Self.block), to: &bodyBuffer)
        var first = try next(of: &bodyBuffer)
        let second = try next(of: &bodyBuffer)
        first[0] = 200
        first.append(second)
        var expected = bytes(2 * Self.block)
        expected[0] = 200
        append(Data(repeating: 7, count: 2 * Self.block), to: &bodyBuffer)
        let isExact = first == expected
        #expect(isExact)
    }

    /// A large body is received in memory that is still in the processor's cache, whichever body it was for.
    @Test func bodiesShareMemory() {
        let pool = ChunkPool()
        var bodyBuffers = [BodyBuffer(pool), BodyBuffer(pool)]
        let addresses = bodyBuffers.indices.map { index in
            append(bytes(2 * Self.block), to: &bodyBuffers[index])
            return Set(chunks(of: &bodyBuffers[index]).map(address))
        }
        #expect(addresses[0].count == 2 && addresses[0] == addresses[1])
    }

    /// Of thousands of streams that say little after a large part, each would hold a block otherwise.
    @Test(arguments: [0, 100]) func aBodyThatSaysLittleHoldsNoBlock(lastPart: Int) throws {
        let pool = ChunkPool()
        var bodyBuffer = largeBuffer(pool)
        append(bytes(20 * 1024), to: &bodyBuffer)
        let block = try address(next(of: &bodyBuffer))
        #expect(pool.take().start != UnsafeMutableRawPointer(bitPattern: block))
        let size = bodyBuffer.append(upTo: .max) { memory in
            memory.copyBytes(from: bytes(lastPart))
            return lastPart
        }
        #expect(size == lastPart && chunks(of: &bodyBuffer).map(\.count) == (lastPart > 0 ? [lastPart] : []))
        #expect(pool.take().start == UnsafeMutableRawPointer(bitPattern: block))
    }

    /// A stream that says little at a time must not hold a block for each word.
    @Test func aSmallChunkHoldsNoBlock() throws {
        var bodyBuffer = largeBuffer()
        append(bytes(10), to: &bodyBuffer)
        let kept = try next(of: &bodyBuffer)
        #expect(kept == bytes(10))
        append(bytes(Self.block), to: &bodyBuffer)
        let first = try address(next(of: &bodyBuffer))
        append(bytes(10), to: &bodyBuffer)
        let other = try next(of: &bodyBuffer)
        append(bytes(Self.block), to: &bodyBuffer)
        let again = try address(next(of: &bodyBuffer))
        #expect(again == first)
        #expect(kept == other)
    }

    @Test func partsOfABlockAreHandedOverAsTheyAre() throws {
        var bodyBuffer = largeBuffer()
        append(bytes(20 * 1024), to: &bodyBuffer)
        let first = try next(of: &bodyBuffer)
        append(bytes(20 * 1024), to: &bodyBuffer)
        let second = try next(of: &bodyBuffer)
        #expect(address(second) == address(first) + 20 * 1024)
        let isExact = first == bytes(20 * 1024) && second == first
        #expect(isExact)
    }

    /// The end of a block is too small for another part, and is not filled again.
    @Test func theEndOfABlockIsUsedOnce() throws {
        var bodyBuffer = largeBuffer()
        append(bytes(Self.block - 100), to: &bodyBuffer)
        _ = try next(of: &bodyBuffer)
        append(bytes(60 * 1024), to: &bodyBuffer)
        #expect(chunks(of: &bodyBuffer).map(\.count) == [100, 60 * 1024 - 100])
    }

    @Test func chunksOutliveTheBuffer() throws {
        let kept: Data
        do {
            var bodyBuffer = largeBuffer()
            append(bytes(3 * Self.block), to: &bodyBuffer)
            kept = try next(of: &bodyBuffer)
        }
        let isUnchanged = kept == bytes(Self.block)
        #expect(isUnchanged)
    }
}
