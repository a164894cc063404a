import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// The promises of all stores.
@Suite struct CacheStoreTests {
    enum Kind: CaseIterable {
        case memory
        case folder
    }

    private let folder: SampleFolder

    init() throws { folder = try SampleFolder() }

    private func store(_ kind: Kind, maxBytes: Int64 = 64 << 20) async throws -> any CacheStore {
        switch kind {
        case .memory: MemoryStore(maxBytes: maxBytes, maxEntries: 10_000)
        case .folder: try await folder.open(maxBytes: maxBytes)
        }
    }

    @Test(arguments: Kind.allCases, [0, 1, 1024, 65_535, 65_536, 65_537, 131_072, 131_073, 1_000_003])
    func findsWhatWasWritten(_ kind: Kind, count: Int) async throws {
        let (store, key) = (try await store(kind), try CacheKey.sample(1))
        let sample = StoredSample(offset: 17, count: count)
        #expect(await store.entry(key) == nil)
        for pieces in [1_000_003, 65_536, 4099] {
            try store.write(sample, for: key, pieces: pieces)
            #expect(try await store.sample(key) == sample)
        }
        let entry = try #require(await store.entry(key))
        #expect(try await entry.sample(pieces: 9973) == sample)
        #expect(try await store.entry(CacheKey.sample(2)) == nil)
        #expect(store.secret.count == 32 && Set(store.secret).count > 8)
    }

    @Test(arguments: Kind.allCases) func readsAnyRangeOfABody(_ kind: Kind) async throws {
        let (store, key) = (try await store(kind), try CacheKey.sample(1))
        let sample = StoredSample(offset: 5, count: 200_000)
        try store.write(sample, for: key)
        let entry = try #require(await store.entry(key))
        for offset in [0, 1, 65_535, 65_536, 65_537, 131_072, 199_999, 3] {
            let piece = try await entry.read(at: Int64(offset), maxCount: 100)
            let end = min(offset + 100, 200_000, (offset / 65_536 + 1) * 65_536)
            #expect(piece == sample.body[offset..<end])
        }
        for (offset, count) in [(200_000, 1), (.max, 1), (-1, 1), (.min, 1), (0, 0), (0, -1)] as [(Int64, Int)] {
            #expect(try await entry.read(at: offset, maxCount: count).isEmpty)
        }
    }

    @Test(arguments: Kind.allCases, [1000, 300_000]) func readsAReplacedEntry(_ kind: Kind, count: Int) async throws {
        let (store, key) = (try await store(kind), try CacheKey.sample(1))
        let samples = (0..<3).map { StoredSample(offset: $0 * 31, count: count + $0) }
        try store.write(samples[0], for: key)
        let first = try #require(await store.entry(key))
        _ = try await first.read(at: 0, maxCount: 10)
        try store.write(samples[1], for: key)
        let second = try #require(await store.entry(key))
        #expect(second.id != first.id)
        try store.write(samples[2], for: key)
        store.remove(key)
        #expect(await store.entry(key) == nil)
        #expect(try await first.sample() == samples[0])
        #expect(try await second.sample() == samples[1])
    }

    @Test(arguments: Kind.allCases, [0, 1000, 300_000]) func replacesARecord(_ kind: Kind, count: Int) async throws {
        let (store, key) = (try await store(kind), try CacheKey.sample(1))
        let sample = StoredSample(offset: 3, count: count)
        try store.write(sample, for: key)
        let first = try #require(await store.entry(key))
        let before = store.usage.bytes
        // Longer and shorter than the one before.
        for length in [10, 5000, 0, 100_000, 3] {
            let record = CacheRecord.variants(
                generation: 3, fields: ["\(count)", String(repeating: "x", count: length)])
            store.update(first, with: record)
            let entry = try #require(await store.entry(key))
            #expect(entry.record == record && entry.id == first.id)
            #expect(try await entry.contents() == sample.body)
            #expect(try await first.contents() == sample.body)
            #expect(first.record == sample.record)
        }
        #expect(store.usage.entries == 1 && store.usage.bytes <= before + 4096)
    }

    @Test(arguments: Kind.allCases, [1000, 300_000])
    func ignoresAnUpdateAfterAReplacement(_ kind: Kind, count: Int) async throws {
        let (store, key) = (try await store(kind), try CacheKey.sample(1))
        let (old, new) = (StoredSample(offset: 1, count: count), StoredSample(offset: 2, count: count))
        try store.write(old, for: key)
        let entry = try #require(await store.entry(key))
        try store.write(new, for: key)
        store.update(entry, with: old.record)
        #expect(try await store.sample(key) == new)
        store.remove(key)
        store.update(entry, with: old.record)
        #expect(await store.entry(key) == nil)
    }

    @Test(arguments: Kind.allCases) func putsARecordInPlaceOfABody(_ kind: Kind) async throws {
        let (store, key) = (try await store(kind), try CacheKey.sample(1))
        try store.write(StoredSample(offset: 0, count: 300_000), for: key)
        store.put(StoredSample(offset: 9, count: 0).record, for: key)
        #expect(try await store.sample(key) == StoredSample(offset: 9, count: 0))
        #expect(store.usage.entries == 1 && store.usage.bytes <= 4096)
    }

    @Test(arguments: Kind.allCases, [100, 65_536, 200_000])
    func storesNothingOfAWriterThatDoesNotFinish(_ kind: Kind, count: Int) async throws {
        let (store, key) = (try await store(kind), try CacheKey.sample(1))
        let kept = StoredSample(offset: 1, count: 10)
        try store.write(kept, for: key)
        #expect(try await store.sample(key) == kept)
        let usage = store.usage
        var writer = store.makeWriter(for: key, length: Int64(count))
        writer?.append(StoredSample(offset: 2, count: count))
        writer?.cancel()
        writer?.append(Data([1]))
        writer?.finish(StoredSample(offset: 2, count: count).record)
        #expect(try await store.sample(key) == kept)
        #expect(store.usage == usage)
        writer = store.makeWriter(for: key, length: nil)
        writer?.append(StoredSample(offset: 2, count: count))
        writer = nil
        #expect(try await store.sample(key) == kept)
        #expect(store.usage == usage)
        if kind == .folder { #expect(try folder.files.count == 1) }
    }

    @Test(arguments: Kind.allCases) func ignoresCallsAfterTheEnd(_ kind: Kind) async throws {
        let (store, key) = (try await store(kind), try CacheKey.sample(1))
        let sample = StoredSample(offset: 1, count: 100_000)
        let writer = try #require(store.makeWriter(for: key, length: nil))
        writer.append(sample)
        writer.finish(sample.record)
        writer.append(Data([1]))
        writer.finish(StoredSample(offset: 2, count: 3).record)
        writer.cancel()
        #expect(try await store.sample(key) == sample)
    }

    @Test(arguments: Kind.allCases) func removesWhatIsBeingWritten(_ kind: Kind) async throws {
        let store = try await store(kind)
        let keys = try (0..<3).map { try CacheKey.sample($0) }
        let sample = StoredSample(offset: 1, count: 100_000)
        let writers = try keys.map { try #require(store.makeWriter(for: $0, length: nil)) }
        for writer in writers { writer.append(sample) }
        store.remove(keys[0])
        // One that begins after the removal stores its entry.
        let later = try #require(store.makeWriter(for: keys[0], length: nil))
        let newer = StoredSample(offset: 2, count: 7)
        later.append(newer)
        later.finish(newer.record)
        for writer in writers[..<2] { writer.finish(sample.record) }
        #expect(try await store.sample(keys[0]) == newer)
        #expect(try await store.sample(keys[1]) == sample)
        #expect(await store.removeAll() == nil)
        writers[2].finish(sample.record)
        for key in keys { #expect(await store.entry(key) == nil) }
        #expect(store.usage == CacheUsage())
        if kind == .folder { #expect(try folder.files == []) }
        try store.write(newer, for: keys[2])
        #expect(try await store.sample(keys[2]) == newer)
    }

    @Test(arguments: Kind.allCases) func storesTheLastOfTwoWriters(_ kind: Kind) async throws {
        let (store, key) = (try await store(kind), try CacheKey.sample(1))
        let samples = [StoredSample(offset: 1, count: 100_000), StoredSample(offset: 2, count: 90_000)]
        let writers = try samples.map { _ in try #require(store.makeWriter(for: key, length: nil)) }
        for (writer, sample) in zip(writers, samples) { writer.append(sample) }
        for index in [1, 0] {
            writers[index].finish(samples[index].record)
            #expect(try await store.sample(key) == samples[index])
        }
        #expect(store.usage.entries == 1)
    }

    /// An entry may have an eighth of the store.
    @Test(arguments: Kind.allCases) func refusesBodiesThatAreTooLarge(_ kind: Kind) async throws {
        let (store, key) = (try await store(kind, maxBytes: 1 << 20), try CacheKey.sample(1))
        let share = 1 << 17
        #expect(store.makeWriter(for: key, length: Int64(share) + 1) == nil)
        #expect(store.makeWriter(for: key, length: .max) == nil)
        #expect(store.makeWriter(for: key, length: Int64(share)) != nil)
        try store.write(StoredSample(offset: 1, count: share), for: key)
        #expect(try await store.sample(key) == StoredSample(offset: 1, count: share))
        store.remove(key)
        try store.write(StoredSample(offset: 1, count: share + 1), for: key)
        #expect(await store.entry(key) == nil)
        #expect(store.usage == CacheUsage())
        if kind == .folder { #expect(try folder.files == []) }
    }

    @Test(arguments: Kind.allCases) func releasesWhatItIsReleasedWith(_ kind: Kind) async throws {
        var store: (any CacheStore)? = try await store(kind)
        weak let released = store as AnyObject?
        try store?.write(StoredSample(offset: 1, count: 200_000), for: CacheKey.sample(1))
        var entry = try await store?.entry(CacheKey.sample(1))
        #expect(try await entry?.sample() == StoredSample(offset: 1, count: 200_000))
        await (store as? FolderStore)?.settle()
        store = nil
        #expect(try await entry?.sample() == StoredSample(offset: 1, count: 200_000))
        entry = nil
        // A piece of work may be about to end.
        for _ in 0..<1_000_000 where released != nil { await Task.yield() }
        #expect(released == nil)
    }
}
