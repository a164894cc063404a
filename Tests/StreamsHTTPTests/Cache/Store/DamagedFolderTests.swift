import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Files that are not as they were written. Each is a miss or an error, never another body.
@Suite struct DamagedFolderTests {
    private let folder: SampleFolder
    private let key: CacheKey
    private static let block = EntryFormat.blockSize + EntryFormat.checksumSize

    init() throws { (folder, key) = (try SampleFolder(), try CacheKey.sample(1)) }

    /// Replaces the contents of the entry, and returns what is found then: the sample, or `nil` after damage.
    private func reads(_ contents: Data, in store: FolderStore) async throws -> StoredSample? {
        try folder.replace(contents, of: key)
        guard let entry = await store.entry(key) else {
            #expect(try folder.files == [])
            return nil
        }
        do {
            return try await entry.sample()
        } catch is CacheDamage {
            #expect(await store.entry(key) == nil)
            #expect(try folder.files == [])
            return nil
        }
    }

    /// Writes a sample, and returns the contents of its file.
    private func write(_ sample: StoredSample, in store: FolderStore) async throws -> Data {
        try store.write(sample, for: key)
        #expect(try await store.sample(key) == sample)
        return try folder.contents(of: key)
    }

    @Test func noticesEachByteThatDiffers() async throws {
        let (store, sample) = (try await folder.open(), StoredSample(offset: 3, count: 300))
        let contents = try await write(sample, in: store)
        #expect(try await reads(contents, in: store) == sample)
        for index in contents.indices {
            _ = try await write(sample, in: store)
            var damaged = contents
            damaged[index] ^= 1 << (index % 8)
            #expect(try await reads(damaged, in: store) == nil, "byte \(index)")
        }
        #expect(await store.settledUsage == CacheUsage())
    }

    /// Bytes of a body in several blocks, of their checksums, and of the record.
    @Test func noticesBytesThatDifferInABodyOfSeveralBlocks() async throws {
        let (store, sample) = (try await folder.open(), StoredSample(offset: 3, count: 150_000))
        let contents = try await write(sample, in: store)
        let borders = [0, Self.block, 2 * Self.block, contents.count - EntryFormat.trailerSize, contents.count]
        for index in borders.flatMap({ $0 - 20...$0 + 20 }) where contents.indices.contains(index) {
            _ = try await write(sample, in: store)
            var damaged = contents
            damaged[index] ^= 0x10
            #expect(try await reads(damaged, in: store) == nil, "byte \(index)")
        }
        #expect(await store.settledUsage == CacheUsage())
    }

    @Test(arguments: [300, 150_000]) func noticesMissingAndAdditionalBytes(count: Int) async throws {
        let (store, sample) = (try await folder.open(), StoredSample(offset: 3, count: count))
        let contents = try await write(sample, in: store)
        let sizes = [0, 1, 51, 52, 53, 100, count, Self.block, contents.count / 2, contents.count - 1]
        for size in sizes where size < contents.count {
            _ = try await write(sample, in: store)
            #expect(try await reads(contents.prefix(size), in: store) == nil, "prefix \(size)")
            _ = try await write(sample, in: store)
            #expect(try await reads(contents.suffix(size), in: store) == nil, "suffix \(size)")
        }
        for more in [1, 52, 65_536] {
            _ = try await write(sample, in: store)
            #expect(try await reads(contents + Data(count: more), in: store) == nil)
            _ = try await write(sample, in: store)
            #expect(try await reads(Data(count: more) + contents, in: store) == nil)
        }
        _ = try await write(sample, in: store)
        #expect(try await reads(contents + contents, in: store) == nil)
        _ = try await write(sample, in: store)
        #expect(try await reads(Data(count: contents.count), in: store) == nil)
    }

    /// Blocks of the body in another order, and twice.
    @Test func noticesMovedBlocks() async throws {
        let (store, sample) = (try await folder.open(), StoredSample(offset: 3, count: 3 * EntryFormat.blockSize))
        let contents = try await write(sample, in: store)
        let blocks = (0..<3).map { contents[$0 * Self.block..<($0 + 1) * Self.block] }
        for order in [[1, 0, 2], [0, 2, 1], [0, 0, 2], [0, 1, 1], [2, 1, 0]] {
            _ = try await write(sample, in: store)
            let moved = order.map { blocks[$0] }.reduce(Data(), +) + contents[(3 * Self.block)...]
            #expect(try await reads(moved, in: store) == nil, "\(order)")
        }
    }

    /// Whole files and blocks of entries with another key, or of another time.
    @Test(arguments: [300, 150_000]) func noticesPartsOfOtherEntries(count: Int) async throws {
        let (store, other) = (try await folder.open(), try CacheKey.sample(2))
        let sample = StoredSample(offset: 3, count: count)
        // The same body: only the key or the time differs.
        let earlier = try await write(sample, in: store)
        try store.write(sample, for: other)
        #expect(try await store.sample(other) == sample)
        let foreign = try folder.contents(of: other)
        store.remove(other)
        let length = count + (count / EntryFormat.blockSize + 1) * EntryFormat.checksumSize
        for (name, wrong) in [("earlier", earlier), ("foreign", foreign)] {
            var contents = try await write(sample, in: store)
            contents.replaceSubrange(..<length, with: wrong[..<length])
            #expect(try await reads(contents, in: store) == nil, "the body of the \(name) one")
            contents = try await write(sample, in: store)
            contents.replaceSubrange(length..., with: wrong[length...])
            #expect(try await reads(contents, in: store) == nil, "the record of the \(name) one")
        }
        _ = try await write(sample, in: store)
        #expect(try await reads(foreign, in: store) == nil)
        // A whole file of an earlier time is a valid one.
        _ = try await write(sample, in: store)
        #expect(try await reads(earlier, in: store) == sample)
    }

    /// Without a body, the record alone says which entry it is.
    @Test func noticesARecordOfAnotherKey() async throws {
        let (store, other) = (try await folder.open(), try CacheKey.sample(2))
        let sample = StoredSample(offset: 3, count: 0)
        store.put(sample.record, for: other)
        #expect(try await store.sample(other) == sample)
        let foreign = try folder.contents(of: other)
        store.remove(other)
        _ = try await write(sample, in: store)
        #expect(try await reads(foreign, in: store) == nil)
    }

    /// Lengths that no file can have, with a checksum that is right.
    @Test func survivesAnyLength() async throws {
        let store = try await folder.open()
        for length in [1, 65_536, 1 << 40, 1 << 60, 1 << 61, 1 << 62, Int64.max] {
            _ = try await write(StoredSample(offset: 1, count: 0), in: store)
            let format = EntryFormat(key: key, id: 1)
            let footer = format.footer(StoredSample(offset: 1, count: 0).record, bodyLength: length)
            #expect(try await reads(#require(footer), in: store) == nil)
        }
    }

    /// The bytes of the disk change while a body is being read.
    @Test func noticesDamageWhileABodyIsRead() async throws {
        let (store, sample) = (try await folder.open(), StoredSample(offset: 3, count: 200_000))
        var contents = try await write(sample, in: store)
        let entry = try #require(await store.entry(key))
        #expect(try await entry.read(at: 0, maxCount: .max) == sample.body.prefix(65_536))
        contents[100_000] ^= 1
        try folder.replace(contents, of: key)
        #expect(try await entry.read(at: 10, maxCount: 5) == sample.body[10..<15])
        await #expect(throws: CacheDamage()) { try await entry.read(at: 65_536, maxCount: 1) }
        #expect(try folder.files == [])
        // Another entry with its name is not removed.
        try store.write(sample, for: key)
        await #expect(throws: CacheDamage()) { try await entry.read(at: 65_536, maxCount: 1) }
        #expect(try await store.sample(key) == sample)
        #expect(await store.settledUsage.entries == 1)
    }

    /// A record that cannot be decoded, in a file with the right checksum.
    @Test func noticesARecordOfAnotherFormat() async throws {
        let (store, sample) = (try await folder.open(), StoredSample(offset: 3, count: 10))
        let contents = try await write(sample, in: store)
        // A file of a later version.
        let mark = try #require(contents.range(of: Data("STREAMS1".utf8)))
        var later = contents
        later[mark.upperBound - 1] = UInt8(ascii: "2")
        #expect(try await reads(later, in: store) == nil)
    }

    @Test func survivesRandomContents() async throws {
        let store = try await folder.open()
        var random = SeededGenerator(seed: 1)
        for size in [0, 1, 51, 52, 53, 1000, 100_000] {
            for _ in 0..<20 {
                _ = try await write(StoredSample(offset: 1, count: 0), in: store)
                var contents = Data((0..<size).map { _ in UInt8.random(in: 0 ... .max, using: &random) })
                if size >= 52 { contents.replaceSubrange((size - 52)..<(size - 44), with: "STREAMS1".utf8) }
                #expect(try await reads(contents, in: store) == nil)
            }
        }
    }
}
