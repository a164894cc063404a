/// The memory in which a large body is gathered, in blocks of one size that are used again: the system's allocator maps
/// large blocks anew each time, and having them cleared takes longer than filling them.
final class ChunkPool: Sendable {
    /// The size of a block in bytes.
    static let blockSize = 256 * 1024
    /// How many blocks are kept that nobody uses: more than a window of 1 MiB fills.
    private static let limit = 8

    private let spares = Locked<[Block]>([])

    /// A block with anything in it.
    func take() -> Block {
        spares.withLock { $0.popLast() } ?? Block()
    }

    /// Takes a block back that nobody looks at any more. Legal from any thread.
    func giveBack(_ block: Block) {
        spares.withLock { spares in
            if spares.count < Self.limit { spares.append(block) }
        }
    }

    /// Memory of ``ChunkPool/blockSize`` bytes.
    // Safe because whoever has it, be it the pool, is alone with it.
    final class Block: @unchecked Sendable {
        let start = UnsafeMutableRawPointer.allocate(byteCount: ChunkPool.blockSize, alignment: 16)

        deinit {
            start.deallocate()
        }
    }
}
