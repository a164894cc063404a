import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Disks that are full, slow or hang.
@Suite struct FullDiskTests {
    private let folder: SampleFolder
    private let sample = StoredSample(offset: 7, count: 300_000)

    init() throws { folder = try SampleFolder() }

    /// Each piece that is written may be the one that there is no room for.
    @Test(arguments: [ENOSPC, EDQUOT, EIO]) func storesNothingThatCannotBeWritten(code: CInt) async throws {
        // The number of pieces that can still be written, and whether half of the next one is.
        let remaining = Watched(Int.max)
        let store = try await folder.open(writing: { data, descriptor in
            let isFull = remaining.update { remaining in
                remaining -= 1
                return remaining < 0
            }
            let written = Folder.writeAll(isFull ? data.prefix(data.count / 2) : data, to: descriptor)
            return isFull ? code : written
        })
        for number in 0..<100 { try store.write(StoredSample(offset: number, count: 10), for: .sample(number)) }
        let key = try CacheKey.sample(1000)
        for pieces in 0..<5 {
            await store.settle()
            remaining.update { $0 = pieces }
            try store.write(sample, for: key)
            #expect(await store.entry(key) == nil)
            #expect(try !folder.files.contains { $0.contains(".") })
        }
        // All five pieces can be written, but then not the longer record.
        await store.settle()
        remaining.update { $0 = 5 }
        try store.write(sample, for: key)
        let entry = try #require(await store.entry(key))
        #expect(try await entry.sample() == sample)
        store.update(entry, with: .variants(generation: 1, fields: [String(repeating: "x", count: 1000)]))
        #expect(await store.entry(key) == nil)
        remaining.update { $0 = .max }
        // Each time that the disk was full, at least a tenth of the entries was removed. Another error is none of its room.
        let usage = await store.settledUsage
        if code == EIO { #expect(usage.entries == 100) } else { #expect((40...62).contains(usage.entries)) }
        store.startScan()
        #expect(await store.settledUsage == usage)
        #expect(try folder.files.count == usage.entries)
        try store.write(sample, for: key)
        #expect(try await store.sample(key) == sample)
    }

    /// A disk of 1 MiB, which the entries fill.
    @Test func servesFromAFullDisk() async throws {
        let disk = folder.path
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        guard mount("tmpfs", disk, "tmpfs", 0, "size=1m,mode=700") == 0 else {
            try Test.cancel("a file system cannot be mounted: \(String(cString: strerror(errno)))")
        }
        defer { umount2(disk, CInt(MNT_DETACH)) }
        let store = try await folder.open()
        var (stored, missing) = (0, 0)
        for number in 0..<200 {
            let sample = StoredSample(offset: number, count: 1000 * (number % 100))
            try store.write(sample, for: .sample(number, shard: UInt8(number)))
            let found = try await store.sample(.sample(number, shard: UInt8(number)))
            #expect(found == sample || found == nil)
            if found == nil { missing += 1 } else { stored += 1 }
            await store.settle()
        }
        #expect(stored > 100 && missing > 0)
        for number in 0..<200 {
            let found = try await store.sample(.sample(number, shard: UInt8(number)))
            #expect(found == StoredSample(offset: number, count: 1000 * (number % 100)) || found == nil)
        }
        let usage = store.usage
        #expect(usage.bytes <= 1 << 20 && usage.entries > 5)
        #expect(try folder.files.count == usage.entries)
    }

    /// A process whose files may have 100 KiB.
    @Test func storesNothingAboveTheLimitOfFiles() async throws {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let store = try FolderStore(path: path, maxBytes: 64 << 20, maxEntries: 1000)
            let (small, large) = (StoredSample(offset: 1, count: 90_000), StoredSample(offset: 2, count: 101_000))
            try store.write(small, for: .sample(1))
            try store.write(large, for: .sample(2))
            #expect(try await store.sample(.sample(1)) == small)
            #expect(try await store.entry(.sample(2)) == nil)
            let entry = try #require(try await store.entry(.sample(1)))
            store.update(entry, with: .variants(generation: 1, fields: [String(repeating: "x", count: 20_000)]))
            #expect(try await store.entry(.sample(1)) == nil)
            #expect(await store.settledUsage == CacheUsage())
        }
        #expect(try folder.files == [])
    }

    /// While the disk does nothing, no more than a bounded number of bytes waits for it.
    @Test func storesNothingThatTheDiskIsTooSlowFor() async throws {
        let store = try await folder.open()
        let keys = try (0..<4).map { try CacheKey.sample($0) }
        let body = StoredSample(offset: 1, count: 3 << 20)
        store.queue.suspend()
        try store.write(body, for: keys[0], pieces: 100_000)
        #expect((body.count...body.count + 32 * 1024).contains(store.waitingBytes))
        try store.write(body, for: keys[1], pieces: 100_000)
        #expect(store.waitingBytes <= FolderStore.maxWaitingBytes)
        try store.write(StoredSample(offset: 2, count: 100), for: keys[2])
        store.queue.resume()
        #expect(try await store.sample(keys[0]) == body)
        #expect(await store.entry(keys[1]) == nil)
        #expect(try await store.sample(keys[2]) == StoredSample(offset: 2, count: 100))
        #expect(store.waitingBytes == 0)
        // Many small pieces take more memory than their bytes.
        store.queue.suspend()
        let writer = try #require(store.makeWriter(for: keys[3], length: nil))
        for _ in 0..<20_000 { writer.append(Data([1])) }
        writer.finish(StoredSample(offset: 1, count: 20_000).record)
        store.queue.resume()
        #expect(await store.entry(keys[3]) == nil)
        #expect(try folder.files.count == 2)
        // A piece that is larger is in memory anyway.
        let large = StoredSample(offset: 3, count: 5 << 20)
        try store.write(large, for: keys[3], pieces: .max)
        #expect(try await store.sample(keys[3]) == large)
    }

    /// The first read waits for a limited time, and later ones do not wait.
    @Test func aDiskThatHangsIsAMiss() async throws {
        let store = try await folder.open(maxReadTime: .seconds(1))
        let key = try CacheKey.sample(0)
        try store.write(sample, for: key)
        let entry = try #require(await store.entry(key))
        store.queue.suspend()
        #expect(await store.entry(key) == nil)
        await #expect(throws: CacheDamage.self) { try await entry.read(at: 100_000, maxCount: 100) }
        let isFinished = Watched(false)
        store.find(key) { entry in isFinished.update { $0 = entry == nil } }
        #expect(isFinished.value)
        #expect(store.makeWriter(for: key, length: nil) == nil)
        store.put(StoredSample(offset: 1, count: 0).record, for: key)
        store.queue.resume()
        await store.settle()
        // On a busy machine, a read can be late again.
        var found: StoredSample?
        for _ in 1...20 where found == nil { found = try? await store.sample(key) }
        #expect(found == sample)
        #expect(try await entry.read(at: 100_000, maxCount: 100) == sample.body.dropFirst(100_000).prefix(100))
    }
}
