/// An entry that was read from a file.
struct StoredEntry {
    /// The size of the largest file that is read at once. It has room for a block and most records.
    private static let maxWholeSize: Int64 = 80 * 1024
    /// The part of a larger file in which most records end.
    private static let tailSize: Int64 = 16 * 1024

    let footer: EntryFooter
    /// The body, if it has been read with the record.
    let body: CacheBlocks?

    /// Reads an entry; `nil` if it is damaged.
    init?(_ file: OpenFile, size: Int64, key: CacheKey) {
        let count = size <= Self.maxWholeSize ? size : Self.tailSize
        guard count >= EntryFormat.trailerSize, let tail = file.read(Int(count), at: size - count),
            let footerSize = tail.withUnsafeBytes({ EntryFooter.size($0, ofFileWith: size) })
        else { return nil }
        var footer: EntryFooter?
        if footerSize <= tail.count {
            footer = tail.withUnsafeBytes {
                EntryFooter(UnsafeRawBufferPointer(rebasing: $0.suffix(footerSize)), for: key)
            }
        } else {
            let whole = file.read(footerSize, at: size - Int64(footerSize))
            footer = whole?.withUnsafeBytes { EntryFooter($0, for: key) }
        }
        guard let footer else { return nil }
        self.footer = footer
        guard count == size, footer.bodyLength <= EntryFormat.blockSize else {
            body = nil
            return
        }
        var body = CacheBlocks()
        if footer.bodyLength > 0 {
            let block = tail.prefix(Int(footer.bodyLength) + EntryFormat.checksumSize)
            guard let bytes = EntryFormat(key: key, id: footer.id).verified(block, index: 0) else { return nil }
            body.append(bytes)
        }
        self.body = body
    }
}

/// The body of an entry in a folder, which is read in blocks. The file stays open, so that it can be read after its removal.
final class FolderBody: CacheBody {
    let length: Int64
    private let file: OpenFile
    private let format: EntryFormat
    private let store: FolderStore
    /// The block that was read last, for the reading of small pieces.
    private let lastBlock = Locked<(index: Int64, bytes: Data)?>(nil)

    init(_ file: OpenFile, _ footer: EntryFooter, key: CacheKey, store: FolderStore) {
        (length, format) = (footer.bodyLength, EntryFormat(key: key, id: footer.id))
        (self.file, self.store) = (file, store)
    }

    func read(
        at offset: Int64, maxCount: Int, _ completion: @escaping @Sendable (Result<Data, CacheDamage>) -> Void
    ) {
        let (index, start) = offset.quotientAndRemainder(dividingBy: Int64(EntryFormat.blockSize))
        @Sendable func piece(of block: Data) -> Data { block.dropFirst(Int(start)).prefix(maxCount) }
        if let block = lastBlock.withLock({ $0?.index == index ? $0?.bytes : nil }) {
            return completion(.success(piece(of: block)))
        }
        store.read { [self] in
            guard let block = block(index) else {
                store.removeDamaged(file, format.key, size: Int64(file.status?.st_size ?? 0))
                return nil
            }
            lastBlock.withLock { $0 = (index, block) }
            return block
        } _: { (block: Data?) in
            completion(block.map { .success(piece(of: $0)) } ?? .failure(CacheDamage()))
        }
    }

    /// Reads a block; `nil` if it is damaged.
    private func block(_ index: Int64) -> Data? {
        let rest = length - index * Int64(EntryFormat.blockSize)
        let count = min(Int(clamping: rest), EntryFormat.blockSize) + EntryFormat.checksumSize
        return file.read(count, at: EntryFormat.position(ofBlock: index)).flatMap { format.verified($0, index: index) }
    }
}

extension EntryFormat {
    /// Returns a block without its checksum; `nil` if it is damaged.
    fileprivate func verified(_ block: Data, index: Int64) -> Data? {
        let bytes = block.dropLast(Self.checksumSize)
        let checksum = bytes.withUnsafeBytes { self.checksum(ofBlock: index, $0) }
        return block.suffix(Self.checksumSize).elementsEqual(checksum) ? bytes : nil
    }
}

extension OpenFile {
    /// Reads bytes; `nil` if not all of them can be read.
    func read(_ count: Int, at offset: Int64) -> Data? {
        var data = Data(count: count)
        return (try? data.withUnsafeMutableBytes { try read(into: $0, at: offset) }).map { data }
    }
}
