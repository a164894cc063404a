import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// The bounds of a store in a folder, and the times by which it chooses what it removes.
@Suite struct FolderLimitTests {
    private let folder: SampleFolder

    init() throws { folder = try SampleFolder() }

    /// Stores entries of 4 KiB, the first of which was used least recently: each an hour before the next.
    private func fill(_ count: Int) async throws {
        let store = try await folder.open()
        for number in 0..<count {
            try store.write(StoredSample(offset: number, count: 1000), for: .sample(number, shard: UInt8(number % 3)))
        }
        await store.settle()
        for number in 0..<count { try setAge(3600 * (count - number), ofEntry: number) }
    }

    private func setAge(_ age: Int, ofEntry number: Int) throws {
        folder.setAge(age, of: try folder.path(of: .sample(number, shard: UInt8(number % 3))))
    }

    /// The numbers of the entries in the folder.
    private func numbers(_ store: FolderStore, upTo count: Int) async throws -> [Int] {
        var numbers: [Int] = []
        for number in 0..<count {
            guard let sample = try await store.sample(.sample(number, shard: UInt8(number % 3))) else { continue }
            #expect(sample == StoredSample(offset: number, count: 1000))
            numbers.append(number)
        }
        return numbers
    }

    @Test(arguments: [(100 * 4096, 1000), (1 << 30, 100)] as [(Int64, Int)])
    func removesTheLeastRecentlyUsedEntries(maxBytes: Int64, maxEntries: Int) async throws {
        try await fill(120)
        let store = try await folder.open(maxBytes: maxBytes, maxEntries: maxEntries)
        #expect(store.usage == CacheUsage(bytes: 90 * 4096, entries: 90))
        #expect(try await numbers(store, upTo: 120) == Array(30..<120))
    }

    @Test func removesNothingBelowTheLimits() async throws {
        try await fill(100)
        let store = try await folder.open(maxBytes: 100 * 4096, maxEntries: 100)
        #expect(store.usage == CacheUsage(bytes: 100 * 4096, entries: 100))
        // One more is too many.
        try store.write(StoredSample(offset: 100, count: 1000), for: .sample(100, shard: 1))
        #expect(await store.settledUsage == CacheUsage(bytes: 90 * 4096, entries: 90))
        #expect(try await numbers(store, upTo: 101) == Array(11..<101))
    }

    @Test func aLookupIsAUse() async throws {
        try await fill(20)
        let first = try await folder.open()
        for number in [0, 5, 7] { _ = try await first.entry(.sample(number, shard: UInt8(number % 3))) }
        let store = try await folder.open(maxEntries: 10)
        #expect(try await numbers(store, upTo: 20) == [0, 5, 7] + Array(14..<20))
    }

    /// A use within a minute of another one is not noted, so that lookups do not write to the disk each time.
    @Test func notesAUseOnceAMinute() async throws {
        try await fill(1)
        let (store, path) = (try await folder.open(), try folder.path(of: .sample(0, shard: 0)))
        for (age, isNoted) in [(0, false), (90, true), (-10, false), (-1000, true), (1 << 40, true)] {
            folder.setAge(age, of: path)
            var (before, after) = (stat(), stat())
            try #require(stat(path, &before) == 0)
            #expect(try await store.sample(.sample(0, shard: 0)) != nil)
            try #require(stat(path, &after) == 0)
            #expect((before.st_mtim.tv_sec != after.st_mtim.tv_sec) == isNoted, "\(age)")
        }
    }

    /// A clock that was ahead must not protect the entries of that time.
    @Test func removesEntriesWithTimesInTheFutureFirst() async throws {
        try await fill(20)
        for number in [3, 11, 19] { try setAge(-100_000 - number, ofEntry: number) }
        let store = try await folder.open(maxEntries: 10)
        let kept = Array((0..<20).filter { ![3, 11, 19].contains($0) }.suffix(9))
        #expect(try await numbers(store, upTo: 20) == kept)
    }

    @Test(arguments: [0, -1 << 40, 1 << 40]) func removesEntriesWithTheSameTime(age: Int) async throws {
        try await fill(30)
        for number in 0..<30 { try setAge(age, ofEntry: number) }
        let store = try await folder.open(maxEntries: 20)
        #expect(store.usage == CacheUsage(bytes: 18 * 4096, entries: 18))
        #expect(try await numbers(store, upTo: 30).count == 18)
    }

    /// Files that processes left when they ended, whatever the clock says, and one that is being written.
    @Test func removesAbandonedFiles() async throws {
        try await fill(1)
        let (path, key) = (try folder.path(of: .sample(0, shard: 0)), try CacheKey.sample(1))
        for (number, age) in [0, 4000, -4000, 1 << 40, -1 << 40].enumerated() {
            let name = "\(path).0123456789abcdef0123456789abcde\(number)"
            try FileManager.default.copyItem(atPath: path, toPath: name)
            folder.setAge(age, of: name)
        }
        let (former, sample) = (try await folder.open(), StoredSample(offset: 1, count: 100_000))
        #expect(try folder.files.count == 1)
        let writer = try #require(former.makeWriter(for: key, length: nil))
        writer.append(sample)
        await former.settle()
        let store = try await folder.open()
        #expect(try folder.files.count { $0.contains(".") } == 1)
        #expect(store.usage == CacheUsage(bytes: 4096 + 17 * 4096, entries: 1))
        writer.finish(sample.record)
        await former.settle()
        #expect(try await store.sample(key) == sample)
    }

    /// A writer whose file another process removes stores nothing, and the count is right.
    @Test func survivesTheRemovalOfWhatItWrites() async throws {
        let (store, key) = (try await folder.open(), try CacheKey.sample(1))
        let sample = StoredSample(offset: 1, count: 300_000)
        for isCancelled in [false, true] {
            let writer = try #require(store.makeWriter(for: key, length: nil))
            writer.append(StoredSample(offset: 1, count: 150_000))
            await store.settle()
            #expect(await (try folder.open()).removeAll() == nil)
            #expect(try folder.files == [])
            store.startScan()
            await store.settle()
            writer.append(StoredSample(offset: 150_001, count: 150_000))
            if isCancelled { writer.cancel() } else { writer.finish(sample.record) }
            #expect(await store.entry(key) == nil)
            store.startScan()
            #expect(await store.settledUsage == CacheUsage())
        }
        try store.write(sample, for: key)
        #expect(try await store.sample(key) == sample)
    }

    /// Two stores count what the other one writes after a tenth of the limit at the latest.
    @Test func twoStoresStayWithinTheirLimits() async throws {
        let limit = 100
        let stores = [try await folder.open(maxEntries: limit), try await folder.open(maxEntries: limit)]
        for number in 0..<600 {
            let store = stores[number % 2]
            try store.write(StoredSample(offset: number, count: 100), for: .sample(number, shard: UInt8(number % 256)))
            if number % 10 == 0 {
                for store in stores { await store.settle() }
                #expect(try folder.files.count <= limit * 12 / 10 + 10)
            }
        }
        #expect(try folder.files.count >= limit * 8 / 10)
    }

    /// Lookups do not wait until all files have been counted.
    @Test func findsEntriesWhileTheyAreCounted() async throws {
        try await fill(100)
        let store = try await folder.open()
        let key = try CacheKey.sample(50, shard: 2)
        let isScanning = Watched<Bool?>(nil)
        store.queue.suspend()
        store.startScan()
        store.find(key) { entry in isScanning.update { $0 = entry != nil && store.isScanning } }
        store.queue.resume()
        try await isScanning.wait(for: "the entry") { $0 != nil }
        #expect(isScanning.value == true)
        #expect(await store.settledUsage == CacheUsage(bytes: 100 * 4096, entries: 100))
    }

    /// An entry that is written while a scan counts the folders is counted once.
    @Test func countsWhatIsWrittenDuringAScan() async throws {
        try await fill(10)
        let store = try await folder.open(maxEntries: 100_000)
        for round in 1...5 {
            store.startScan()
            for number in 0..<500 {
                let shard = UInt8(truncatingIfNeeded: number)
                let key = try CacheKey.sample(1000 * round + number, shard: shard)
                try store.write(StoredSample(offset: number, count: number * 100), for: key)
                if number.isMultiple(of: 3) { store.remove(key) }
                if number.isMultiple(of: 7) { _ = await store.entry(key) }
            }
            let usage = await store.settledUsage
            store.startScan()
            #expect(await store.settledUsage == usage)
            #expect(try folder.files.count == usage.entries)
        }
    }
}
