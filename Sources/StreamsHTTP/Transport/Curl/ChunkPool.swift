/// The memory in which a large body is gathered, in blocks of one size that are used again: the system's allocator maps
/// large blocks anew each time, and having them cleared takes longer than filling them.
// Safe because the memory that is kept is nobody's, and is behind the lock.
final class ChunkPool: @unchecked Sendable {
    /// The size of a block in bytes.
    static let blockSize = 256 * 1024
    /// How many blocks are kept that nobody uses: more than a window of 1 MiB fills.
    private static let limit = 8

    private let spares = Locked<[UnsafeMutableRawPointer]>([])

    deinit {
        for memory in spares.withLock({ $0 }) { memory.deallocate() }
    }

    /// A block with anything in it.
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

    /// Memory of ``ChunkPool/blockSize`` bytes, which goes back to the pool with the last reference.
    // Safe because nobody reads a part of it before its one writer has handed it over.
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
