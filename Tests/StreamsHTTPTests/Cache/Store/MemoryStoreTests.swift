import StreamsLoopback
import Testing

@testable import StreamsHTTP

@Suite struct MemoryStoreTests {
    /// A store and an array with the keys in the order of use, the oldest first, under random calls.
    @Test func removesInTheExactOrderOfUse() async throws {
        let (maxEntries, overhead) = (12, Int(MemoryStore.overhead))
        for seed in UInt64(0)..<20 {
            var random = SeededGenerator(seed: seed)
            let store = MemoryStore(maxBytes: 200_000, maxEntries: maxEntries)
            var model: [(key: CacheKey, sample: StoredSample)] = []
            func size(_ sample: StoredSample) -> Int { sample.count + sample.record.encoded().count + overhead }
            var bytes: Int { model.reduce(0) { $0 + size($1.sample) } }
            for step in 0..<400 {
                let key = try CacheKey.sample(.random(in: 0..<20, using: &random))
                let place = model.firstIndex { $0.key == key }
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4:
                    let sample = StoredSample(offset: step, count: .random(in: 0...25_000, using: &random))
                    try store.write(sample, for: key)
                    // The bytes of a writer are counted beside those of the entry that it is to replace.
                    while bytes + sample.count > 200_000 { model.removeFirst() }
                    model.removeAll { $0.key == key }
                    model.append((key, sample))
                case 4:
                    store.remove(key)
                    if let place { model.remove(at: place) }
                case 5:
                    guard let place, let entry = await store.entry(key) else { break }
                    let sample = model.remove(at: place).sample
                    store.update(entry, with: sample.record)
                    model.append((key, sample))
                default:
                    #expect(try await store.sample(key) == place.map { model[$0].sample }, "step \(step) of \(seed)")
                    if let place { model.append(model.remove(at: place)) }
                }
                while model.count > maxEntries || bytes > 200_000 {
                    model.removeFirst()
                }
                #expect(store.usage == CacheUsage(bytes: Int64(bytes), entries: model.count), "step \(step) of \(seed)")
            }
            for (key, sample) in model { #expect(try await store.sample(key) == sample) }
        }
    }

    /// The bytes of unfinished writers count, too.
    @Test func countsTheBytesOfWriters() async throws {
        let store = MemoryStore(maxBytes: 1 << 20, maxEntries: 100)
        let keys = try (0..<20).map { try CacheKey.sample($0) }
        let sample = StoredSample(offset: 1, count: 100_000)
        for key in keys[..<10] { try store.write(sample, for: key) }
        #expect(store.usage.entries == 10)
        let writers = try keys.map { try #require(store.makeWriter(for: $0, length: nil)) }
        for writer in writers[..<4] { writer.append(sample) }
        #expect(store.usage.entries == 6)
        for writer in writers[4...] { writer.append(sample) }
        #expect(store.usage.entries == 0)
        #expect(store.usage.bytes == 1_000_000)
        for writer in writers { writer.finish(sample.record) }
        // The others had no room.
        for key in keys[..<10] { #expect(try await store.sample(key) == sample) }
        for key in keys[10...] { #expect(await store.entry(key) == nil) }
    }

    @Test(arguments: [(0, 100), (1 << 20, 0), (-1, 100), (1 << 20, -1), (.min, .min)] as [(Int64, Int)])
    func storesNothingWithoutRoom(maxBytes: Int64, maxEntries: Int) async throws {
        let (store, key) = (MemoryStore(maxBytes: maxBytes, maxEntries: maxEntries), try CacheKey.sample(1))
        let writer = store.makeWriter(for: key, length: nil)
        writer?.append(Data([1]))
        writer?.finish(StoredSample(offset: 1, count: 1).record)
        store.put(StoredSample(offset: 1, count: 0).record, for: key)
        #expect(await store.entry(key) == nil)
        #expect(store.usage == CacheUsage())
    }

    /// A small piece of a large buffer must not keep the buffer.
    @Test func copiesWhatIsAppended() throws {
        let (store, key) = (MemoryStore(maxBytes: 1 << 20, maxEntries: 10), try CacheKey.sample(1))
        let isReleased = Watched(false)
        do {
            let bytes = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 1)
            bytes.initializeMemory(as: UInt8.self, repeating: 1, count: 1 << 20)
            let buffer = Data(
                bytesNoCopy: bytes, count: 1 << 20,
                deallocator: .custom { bytes, _ in
                    bytes.deallocate()
                    isReleased.update { $0 = true }
                })
            let writer = try #require(store.makeWriter(for: key, length: nil))
            writer.append(buffer[1000..<1010])
            writer.finish(StoredSample(offset: 0, count: 10).record)
        }
        #expect(isReleased.value)
        #expect(store.usage.entries == 1)
    }
}
