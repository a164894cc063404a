import Dispatch
import Testing

@testable import StreamsHTTP

/// Removals while the disk does nothing.
@Suite struct AwaitedRemovalTests {
    private let folder: SampleFolder
    private let keys: [CacheKey]
    private let samples = (0..<6).map { StoredSample(offset: $0, count: 1000 + $0) }

    init() throws {
        folder = try SampleFolder()
        keys = try (0..<6).map { try CacheKey.sample($0) }
    }

    /// Adds keys. Returns those for which work had to be queued.
    private func add(_ keys: some Sequence<CacheKey>, to removals: inout AwaitedRemovals) -> [CacheKey] {
        var queued: [CacheKey] = []
        for key in keys where removals.add(key) { queued.append(key) }
        return queued
    }

    @Test func oneWorkRemovesAllThatIsRequestedUntilThen() throws {
        var removals = AwaitedRemovals()
        var entries = removals.take()
        #expect(entries == nil)
        var queued = add([keys[0], keys[1], keys[0]], to: &removals)
        #expect(queued == [keys[0]])
        entries = removals.take()
        #expect(entries == .keys([keys[0], keys[1]]))
        entries = removals.take()
        #expect(entries == nil)
        queued = add([keys[2]], to: &removals)
        #expect(queued == [keys[2]])
    }

    @Test func tooManyKeysAreAllKeys() throws {
        var removals = AwaitedRemovals()
        let many = try (0...AwaitedRemovals.maxCount).map { try CacheKey.sample($0) }
        let most = many.dropLast()
        var queued = add(most, to: &removals)
        #expect(queued == [many[0]])
        queued = add(most, to: &removals)
        #expect(queued == [])
        var entries = removals.take()
        #expect(entries == .keys(Set(most)))
        queued = add(many, to: &removals)
        #expect(queued == [many[0]])
        entries = removals.take()
        #expect(entries == .all)
    }

    /// A removal concerns what was stored before, and nothing that is stored after it, although the work that removes
    /// waits before either.
    @Test func removalsKeepTheirOrderWithWriters() async throws {
        let store = try await folder.open()
        try store.write(samples[0], for: keys[0])
        await store.settle()
        store.queue.suspend()
        store.remove(keys[0])
        // Written and removed.
        try store.write(samples[1], for: keys[1])
        store.remove(keys[1])
        // Put and removed.
        store.put(samples[2].record, for: keys[2])
        store.remove(keys[2])
        // Begun, removed, and then finished.
        let writer = try #require(store.makeWriter(for: keys[3], length: nil))
        writer.append(samples[3])
        store.remove(keys[3])
        writer.finish(samples[3].record)
        // Removed and written.
        store.remove(keys[4])
        try store.write(samples[4], for: keys[4])
        // Put again.
        store.remove(keys[5])
        store.put(samples[5].record, for: keys[5])
        store.queue.resume()
        for number in 0..<4 { #expect(await store.entry(keys[number]) == nil, "\(number)") }
        #expect(try await store.sample(keys[4]) == samples[4])
        #expect(await store.entry(keys[5])?.record == samples[5].record)
        #expect(await store.settledUsage.entries == 2)
    }

    @Test func tooManyRemovalsRemoveAll() async throws {
        let store = try await folder.open()
        try store.write(samples[0], for: keys[0])
        await store.settle()
        store.queue.suspend()
        for number in 1...AwaitedRemovals.maxCount + 1 { store.remove(try .sample(1000 + number)) }
        try store.write(samples[1], for: keys[1])
        store.queue.resume()
        #expect(await store.entry(keys[0]) == nil)
        #expect(try await store.sample(keys[1]) == samples[1])
        #expect(await store.settledUsage.entries == 1)
    }

    @Test func whatIsWrittenAfterTheRemovalOfAllStays() async throws {
        let store = try await folder.open()
        store.queue.suspend()
        try store.write(samples[0], for: keys[0])
        store.put(samples[1].record, for: keys[1])
        store.removeAll { _ in }
        try store.write(samples[2], for: keys[2])
        store.put(samples[3].record, for: keys[3])
        store.queue.resume()
        for number in 0..<2 { #expect(await store.entry(keys[number]) == nil) }
        #expect(try await store.sample(keys[2]) == samples[2])
        #expect(await store.entry(keys[3])?.record == samples[3].record)
    }
}
