/// The memory blocks that the large bodies of an engine are received in.
///
/// Those that come back are used again at once: to fill memory that is still in the processor's cache takes half the time.
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
