/// A buffer of the part of a body that has not been delivered.
struct BodyBuffer {
    /// The number of bytes up to which a body has memory of its own size. Larger bodies continue in pooled blocks.
    private static let threshold = 64 * 1024
    /// The size below which a chunk has memory of its own size, so that it does not retain a whole block.
    private static let leastPart = 16 * 1024

    private let pool: ChunkPool
    private var total = 0
    /// Complete chunks, which precede `small` and the block.
    private var chunks: [Data] = []
    private var small = Data()
    /// The block that is being filled, until it is full or a small part, or none, has come.
    private var block: ChunkPool.Block?
    /// The number of bytes in the block.
    private var fill = 0
    /// The number of bytes of the block that have been delivered.
    private var taken = 0

    init(_ pool: ChunkPool) {
        self.pool = pool
    }

    var isEmpty: Bool { chunks.isEmpty && small.isEmpty && fill == taken }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        total += bytes.count
        guard total > Self.threshold, block != nil || small.count + bytes.count >= Self.leastPart else {
            return small.append(contentsOf: bytes)
        }
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

    /// Receives bytes straight into the memory that is passed on.
    ///
    /// - Parameters:
    ///   - count: The maximum number of bytes.
    ///   - receive: Receives bytes into memory, and returns their number.
    /// - Returns: The number of bytes.
    mutating func append<Failure>(
        upTo count: Int64, _ receive: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        if let chunk = takeSmall() { chunks.append(chunk) }
        let room = Int(clamping: min(count, Int64(ChunkPool.blockSize - fill)))
        let received = try receive(UnsafeMutableRawBufferPointer(start: runningBlock().start + fill, count: room))
        total += received
        fill += received
        if fill == ChunkPool.blockSize, let chunk = takeBlock() { chunks.append(chunk) }
        if received == 0, fill == taken { releaseBlock() }
        return received
    }

    /// Takes the next chunk, in the order of the bytes.
    mutating func next() -> Data? {
        chunks.isEmpty ? takeSmall() ?? takeBlock() : chunks.removeFirst()
    }

    mutating func discard() {
        while next() != nil {}
    }

    private mutating func runningBlock() -> ChunkPool.Block {
        if let block { return block }
        let block = pool.take()
        self.block = block
        return block
    }

    private mutating func releaseBlock() {
        block = nil
        (fill, taken) = (0, 0)
    }

    private mutating func takeSmall() -> Data? {
        guard !small.isEmpty else { return nil }
        defer { small = Data() }
        return small
    }

    /// Creates a chunk of the bytes added to the block since the last chunk.
    private mutating func takeBlock() -> Data? {
        guard let block, fill > taken else { return nil }
        let (part, count) = (block.start + taken, fill - taken)
        let isCopied = count < Self.leastPart
        if isCopied || fill == ChunkPool.blockSize { releaseBlock() } else { taken = fill }
        if isCopied { return Data(bytes: part, count: count) }
        return Data(bytesNoCopy: part, count: count, deallocator: .custom { _, _ in withExtendedLifetime(block) {} })
    }
}

/// The memory blocks that the large bodies of an engine are received in.
///
/// Those that come back are used again at once: to fill memory that is still in the processor's cache takes half the
/// time.
// Safe because unused memory is guarded by the lock.
final class ChunkPool: @unchecked Sendable {
    /// The size of a block in bytes: of several that are under way, all fit into the processor's cache.
    static let blockSize = 64 * 1024
    /// The number of unused blocks that are kept: more than a window of 1 MiB fills.
    private static let limit = 32

    private let spares = Locked<[UnsafeMutableRawPointer]>([])

    deinit {
        for memory in spares.withLock({ $0 }) { memory.deallocate() }
    }

    /// Takes a block, whose contents are undefined.
    func take() -> Block {
        let memory = spares.withLock { $0.popLast() }
        return Block(memory ?? .allocate(byteCount: Self.blockSize, alignment: 16), of: self)
    }

    private func giveBack(_ memory: UnsafeMutableRawPointer) {
        let isKept = spares.withLock { spares in
            guard spares.count < Self.limit else { return false }
            spares.append(memory)
            return true
        }
        if !isKept { memory.deallocate() }
    }

    /// Memory of ``ChunkPool/blockSize`` bytes, which returns to the pool with the last reference.
    // Safe because its one writer does not change a part that it has passed on.
    final class Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        private let pool: ChunkPool

        fileprivate init(_ memory: UnsafeMutableRawPointer, of pool: ChunkPool) {
            start = memory
            self.pool = pool
        }

        deinit {
            pool.giveBack(start)
        }
    }
}
