/// A buffer of the part of a body that has not been delivered.
///
/// Bytes are added to the open chunk alone, which follows all chunks that were closed before. So no byte can be delivered
/// before one that was received earlier.
struct BodyBuffer {
    /// The number of bytes up to which a body has memory of its own size. Larger bodies continue in pooled blocks.
    private static let threshold = 64 * 1024
    /// The size below which a chunk has memory of its own size, so that it does not retain a whole block.
    private static let leastPart = 16 * 1024

    /// The chunk that bytes are added to.
    private enum OpenChunk {
        /// A chunk in memory of its own size.
        case small(Data)
        /// A part of a block. The next chunk continues in the block, until it is full or a small part, or none, has come.
        case part(BlockPart)

        static let empty = OpenChunk.small(Data())
    }

    private let pool: ChunkPool
    private var total = 0
    /// The closed chunks, which precede the open one.
    private var chunks: [Data] = []
    private var open = OpenChunk.empty

    init(_ pool: ChunkPool) {
        self.pool = pool
    }

    var isEmpty: Bool {
        guard chunks.isEmpty else { return false }
        return switch open {
        case .small(let data): data.isEmpty
        case .part(let part): part.isEmpty
        }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        total += bytes.count
        if case .small(var data) = open, total <= Self.threshold || data.count + bytes.count < Self.leastPart {
            // The memory would be copied if there were another reference to it.
            open = .empty
            data.append(contentsOf: bytes)
            open = .small(data)
            return
        }
        var rest = bytes
        while !rest.isEmpty {
            var part = openPart()
            let count = part.append(rest)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            keep(part)
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
        var part = openPart()
        let received = try receive(UnsafeMutableRawBufferPointer(rebasing: part.room.prefix(Int(clamping: count))))
        part.end += received
        total += received
        if part.isEmpty { open = .empty } else { keep(part) }
        return received
    }

    /// Takes the next chunk, in the order of the bytes.
    mutating func next() -> Data? {
        chunks.isEmpty ? takeOpen() : chunks.removeFirst()
    }

    mutating func discard() {
        while next() != nil {}
    }

    /// Returns the part of a block that the next bytes belong to.
    private mutating func openPart() -> BlockPart {
        if case .part(let part) = open { return part }
        closeOpen()
        return BlockPart(block: pool.take())
    }

    private mutating func keep(_ part: BlockPart) {
        open = .part(part)
        if part.isFull { closeOpen() }
    }

    private mutating func closeOpen() {
        if let chunk = takeOpen() { chunks.append(chunk) }
    }

    private mutating func takeOpen() -> Data? {
        switch open {
        case .small(let data):
            open = .empty
            return data.isEmpty ? nil : data
        case .part(var part):
            guard !part.isEmpty else { return nil }
            let isCopied = part.count < Self.leastPart
            let chunk = isCopied ? Data(bytes: part.memory, count: part.count) : part.data
            part.start = part.end
            open = isCopied || part.isFull ? .empty : .part(part)
            return chunk
        }
    }
}

/// The bytes of a block that belong to the next chunk, and the room behind them.
private struct BlockPart {
    let block: ChunkPool.Block
    var start = 0
    var end = 0

    var count: Int { end - start }
    var isEmpty: Bool { start == end }
    var isFull: Bool { end == ChunkPool.blockSize }

    var memory: UnsafeMutableRawPointer { block.start + start }
    var room: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: block.start + end, count: ChunkPool.blockSize - end)
    }

    /// The bytes as data that retains the block.
    var data: Data {
        Data(bytesNoCopy: memory, count: count, deallocator: .custom { [block] _, _ in withExtendedLifetime(block) {} })
    }

    /// Appends as many bytes as there is room for.
    ///
    /// - Returns: Their number.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = min(bytes.count, room.count)
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
        end += count
        return count
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
