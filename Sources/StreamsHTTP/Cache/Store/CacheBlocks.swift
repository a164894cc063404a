/// A body in memory, in blocks of 64 KiB, the last of which may be shorter.
struct CacheBlocks: CacheBody {
    /// The size of a block in bytes, in memory and on the disk.
    static let blockSize = 64 * 1024

    private var blocks: [Data] = []
    private(set) var length: Int64 = 0

    /// Appends a copy of bytes, which keeps no larger buffer alive.
    mutating func append(_ data: Data) {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                if blocks.last.map({ $0.count == Self.blockSize }) ?? true { blocks.append(Data()) }
                let last = blocks.count - 1
                let piece = rest.prefix(Self.blockSize - blocks[last].count)
                blocks[last].append(contentsOf: UnsafeRawBufferPointer(rebasing: piece))
                rest = rest.dropFirst(piece.count)
            }
        }
        length += Int64(data.count)
    }

    /// Releases the memory that the last block has allocated and does not need.
    mutating func compact() {
        guard let last = blocks.last, last.count < Self.blockSize else { return }
        blocks[blocks.count - 1] = last.withUnsafeBytes { Data($0) }
    }

    func read(
        at offset: Int64, maxCount: Int, _ completion: @escaping @Sendable (Result<Data, CacheDamage>) -> Void
    ) {
        let (index, start) = offset.quotientAndRemainder(dividingBy: Int64(Self.blockSize))
        let block = blocks[Int(index)]
        completion(.success(block.dropFirst(Int(start)).prefix(maxCount)))
    }
}
