/// What of a body has been taken in and is not delivered yet.
///
/// Belongs to whoever has the loop.
struct CurlIntake {
    /// How many bytes of a body get memory of their own size. Most bodies are smaller; what follows is gathered in blocks.
    private static let threshold = 64 * 1024
    /// A chunk of fewer bytes than these is a copy, so that keeping it keeps no block.
    private static let leastPart = 16 * 1024

    private var total = 0
    private var pool: ChunkPool?
    /// Complete ones, which come before the rest.
    private var chunks: [Data] = []
    private var small = Data()
    private var block: ChunkPool.Block?
    /// How much of the block has been filled.
    private var fill = 0
    /// How much of the block has been handed over.
    private var taken = 0

    var isEmpty: Bool { chunks.isEmpty && small.isEmpty && fill == taken }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        total += bytes.count
        guard total > Self.threshold else { return small.append(contentsOf: bytes) }
        if let chunk = takeSmall() { chunks.append(chunk) }
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = min(rest.count, ChunkPool.blockSize - fill)
            (runningBlock().start + fill).copyMemory(from: start, byteCount: count)
            fill += count
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            if fill == ChunkPool.blockSize, let chunk = takeBlock() { chunks.append(chunk) }
        }
    }

    /// Takes the next chunk out, in the order in which the bytes came.
    mutating func next() -> Data? {
        chunks.isEmpty ? takeSmall() ?? takeBlock() : chunks.removeFirst()
    }

    mutating func discard() {
        while next() != nil {}
    }

    private mutating func runningBlock() -> ChunkPool.Block {
        if let block { return block }
        let pool = pool ?? ChunkPool()
        let block = pool.take()
        self.pool = pool
        self.block = block
        return block
    }

    private mutating func takeSmall() -> Data? {
        guard !small.isEmpty else { return nil }
        defer { small = Data() }
        return small
    }

    /// Makes a chunk of what was added to the block since the last one.
    private mutating func takeBlock() -> Data? {
        guard let block, fill > taken else { return nil }
        let (part, count) = (block.start + taken, fill - taken)
        let isCopied = count < Self.leastPart
        if fill == ChunkPool.blockSize {
            self.block = nil
            (fill, taken) = (0, 0)
        } else if isCopied {
            fill = taken
        } else {
            taken = fill
        }
        if isCopied { return Data(bytes: part, count: count) }
        return Data(bytesNoCopy: part, count: count, deallocator: .custom { _, _ in withExtendedLifetime(block) {} })
    }
}
