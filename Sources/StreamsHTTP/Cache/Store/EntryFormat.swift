/// The format of an entry's file: the blocks of the body, each with a checksum, the record, and a trailer.
///
/// The checksums are the first 16 bytes of SHA-256. They cover the entry's key and its random number, so that blocks and
/// files in other places are found as well as other bytes. The record is at the end, where another one can replace it
/// without a change to the body.
///
///     file    = *(block checksum) record trailer
///     trailer = "STREAMS1" id[16] bodyLength[8] recordLength[4] checksum    ; integers in little endian
struct EntryFormat {
    static let blockSize = CacheBlocks.blockSize
    static let checksumSize = 16
    static let trailerSize = 36 + checksumSize
    /// The largest record in bytes. A larger one is not stored.
    static let maxRecordSize = 1 << 20
    fileprivate static let mark = Array("STREAMS1".utf8)

    let key: CacheKey
    let id: UInt128

    /// Returns the number of bytes that a body takes in the file.
    static func storedLength(ofBody length: Int64) -> Int64 {
        let blocks = length / Int64(blockSize) + (length % Int64(blockSize) > 0 ? 1 : 0)
        return length + blocks * Int64(checksumSize)
    }

    /// Returns the offset of a block in the file.
    static func position(ofBlock index: Int64) -> Int64 { index * Int64(blockSize + checksumSize) }

    /// Returns the checksum of a block.
    func checksum(ofBlock index: Int64, _ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var hash = SHA2(.sha256)
        hash.update(key.bytes)
        hash.update(id.littleEndianBytes + UInt64(index).littleEndianBytes)
        hash.update(bytes)
        return Array(hash.digest().prefix(Self.checksumSize))
    }

    /// Returns the bytes behind the body; `nil` if the record is too large.
    func footer(_ record: CacheRecord, bodyLength: Int64) -> Data? {
        var footer = record.encoded()
        guard footer.count <= Self.maxRecordSize else { return nil }
        let recordLength = UInt32(footer.count).littleEndianBytes
        footer += Self.mark + id.littleEndianBytes + UInt64(bodyLength).littleEndianBytes + recordLength
        footer += footer.withUnsafeBytes { Self.checksum(ofFooter: $0, key) }
        return footer
    }

    fileprivate static func checksum(ofFooter bytes: UnsafeRawBufferPointer, _ key: CacheKey) -> [UInt8] {
        var hash = SHA2(.sha256)
        hash.update(key.bytes)
        hash.update(bytes)
        return Array(hash.digest().prefix(checksumSize))
    }
}

/// The end of an entry's file, without its checksums.
struct EntryFooter {
    let id: UInt128
    let bodyLength: Int64
    let record: CacheRecord

    /// The lengths in a trailer, before its checksum has been verified.
    private struct Trailer {
        let id: UInt128
        let bodyLength: Int64
        let recordLength: Int

        init?(_ bytes: Slice<UnsafeRawBufferPointer>) {
            let fields = UnsafeRawBufferPointer(rebasing: bytes)
            guard fields.count == EntryFormat.trailerSize, fields.starts(with: EntryFormat.mark) else { return nil }
            id = UInt128(littleEndian: fields.loadUnaligned(fromByteOffset: 8, as: UInt128.self))
            let length = UInt64(littleEndian: fields.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
            let recordLength = UInt32(littleEndian: fields.loadUnaligned(fromByteOffset: 32, as: UInt32.self))
            // Far below the numbers with which the positions in the file would overflow.
            guard length <= 1 << 60, recordLength <= EntryFormat.maxRecordSize else { return nil }
            (bodyLength, self.recordLength) = (Int64(length), Int(recordLength))
        }
    }

    /// Returns the number of bytes that the footer takes at the end of a file; `nil` if it is none of this format.
    ///
    /// - Parameters:
    ///   - tail: The last bytes of the file, at least as many as a trailer has.
    ///   - size: The size of the file.
    static func size(_ tail: UnsafeRawBufferPointer, ofFileWith size: Int64) -> Int? {
        guard let trailer = Trailer(tail.suffix(EntryFormat.trailerSize)) else { return nil }
        let footer = trailer.recordLength + EntryFormat.trailerSize
        return EntryFormat.storedLength(ofBody: trailer.bodyLength) + Int64(footer) == size ? footer : nil
    }

    /// Decodes a footer; `nil` if it is damaged.
    init?(_ bytes: UnsafeRawBufferPointer, for key: CacheKey) {
        let (contents, checksum) = (bytes.dropLast(EntryFormat.checksumSize), bytes.suffix(EntryFormat.checksumSize))
        guard let trailer = Trailer(bytes.suffix(EntryFormat.trailerSize)),
            bytes.count == trailer.recordLength + EntryFormat.trailerSize,
            checksum.elementsEqual(EntryFormat.checksum(ofFooter: UnsafeRawBufferPointer(rebasing: contents), key)),
            let record = CacheRecord(decoding: Data(bytes.prefix(trailer.recordLength)))
        else { return nil }
        (id, bodyLength, self.record) = (trailer.id, trailer.bodyLength, record)
    }
}

extension SHA2 {
    fileprivate mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }
}

extension FixedWidthInteger {
    fileprivate var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
