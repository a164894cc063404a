import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

#if os(Linux)
/// Several stores with one folder, in threads and in processes, and processes that `kill -9` ends.
///
/// `STREAMS_CACHE_KILLS` makes the last test longer, and `STREAMS_CACHE_SEED` repeats another one.
@Suite(.serialized) struct SharedFolderTests {
    private let folder: SampleFolder

    init() throws { folder = try SampleFolder() }

    private static func number(_ name: String, default number: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? number
    }

    /// Finds what is left of the entries, each of which is exact, and nothing but them.
    private func check(_ label: Comment) async throws -> Int {
        let store = try await folder.open()
        let usage = store.usage
        var count = 0
        for number in 0..<RandomCalls.keyCount {
            guard let entry = await store.entry(try RandomCalls.key(number)) else { continue }
            let sample = try await entry.sample()
            #expect(sample.offset % RandomCalls.keyCount == number, label)
            count += 1
        }
        let files = try folder.files
        #expect(files.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{2}\/[0-9a-f]{64}/) != nil }, label)
        // A file with a record that was not complete is removed when it is found.
        #expect(files.count == count && usage.entries >= count, label)
        return count
    }

    @Test func twoThreadsShareAFolder() async throws {
        let seed = Self.number("STREAMS_CACHE_SEED", default: .random(in: 0..<1_000_000))
        let stores = [try await folder.open(maxEntries: 40), try await folder.open(maxEntries: 60)]
        let found = try await withThrowingTaskGroup(of: Int.self) { group in
            for (index, store) in stores.enumerated() {
                for thread in 0..<2 {
                    group.addTask {
                        try await RandomCalls(seed: UInt64(seed + 10 * index + thread)).run(2000, on: store)
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(found > 500, "seed \(seed)")
        for store in stores { await store.settle() }
        #expect(try await check("seed \(seed)") > 10)
    }

    @Test func twoProcessesShareAFolder() async throws {
        let seed = Self.number("STREAMS_CACHE_SEED", default: .random(in: 0..<1_000_000))
        try await withThrowingTaskGroup(of: Void.self) { [path = folder.path] group in
            for process in 0..<2 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String, seed = seed + process as Int] in
                        let store = try FolderStore(path: path, maxBytes: 64 << 20, maxEntries: 50)
                        let found = try await RandomCalls(seed: UInt64(seed)).run(3000, on: store)
                        #expect(found > 300)
                        await store.settle()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await check("seed \(seed)") > 10)
    }

    @Test func aKilledProcessLeavesNoWrongBody() async throws {
        let kills = Self.number("STREAMS_CACHE_KILLS", default: 5)
        let seed = Self.number("STREAMS_CACHE_SEED", default: .random(in: 0..<1_000_000))
        var (counts, unfinished) = ([Int](), 0)
        for kill in 0..<kills {
            let result = await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = folder.path as String, seed = seed + kill as Int] in
                let plan = KillPlan(seed: UInt64(seed))
                let store = try FolderStore(path: path, maxBytes: 64 << 20, maxEntries: 70, writing: plan.write)
                _ = try await RandomCalls(seed: UInt64(seed)).run(.max, on: store)
            }
            #expect(result != nil, "kill \(kill) of seed \(seed)")
            unfinished += try folder.files.count { $0.contains(".") }
            counts.append(try await check("kill \(kill) of seed \(seed)"))
        }
        #expect(counts.allSatisfy { $0 > 0 }, "seed \(seed): \(counts)")
        print("\(kills) kills of seed \(seed): entries \(counts), unfinished files \(unfinished)")
    }
}
#endif

/// Random calls of a store with few keys, whose results are compared. The offset of a sample says to which key it belongs.
private struct RandomCalls {
    static let keyCount = 100

    static func key(_ number: Int) throws -> CacheKey { try .sample(number, shard: UInt8(number % 4)) }

    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Makes calls, and returns the number of entries that were found.
    func run(_ steps: Int, on store: FolderStore) async throws -> Int {
        var random = random
        var (step, found) = (0, 0)
        while step < steps {
            step += 1
            let number = Int.random(in: 0..<Self.keyCount, using: &random)
            let key = try Self.key(number)
            let offset = number + Self.keyCount * Int.random(in: 0..<1000, using: &random)
            let count = Bool.random(using: &random) ? 1 << Int.random(in: 0..<19, using: &random) : 65_536
            let sample = StoredSample(offset: offset, count: count + .random(in: -1...1, using: &random))
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<7: try store.write(sample, for: key, pieces: .random(in: 1000...200_000, using: &random))
            case 7: store.remove(key)
            case 8: store.put(StoredSample(offset: offset, count: 0).record, for: key)
            case 9:
                let writer = store.makeWriter(for: key, length: nil)
                writer?.append(sample)
            default:
                guard let entry = await store.entry(key) else { break }
                found += 1
                let former = try #require(StoredSample(entry.record))
                #expect(former.offset % Self.keyCount == number)
                let longer = String(repeating: "x", count: .random(in: 0..<400, using: &random))
                let record = CacheRecord.variants(
                    generation: UInt64(former.offset), fields: ["\(former.count)", longer])
                if Bool.random(using: &random) { store.update(entry, with: record) }
                _ = try await entry.sample(pieces: .random(in: 10_000...100_000, using: &random))
            }
            // No more waits for the disk than it is fast enough for.
            if store.waitingBytes > 1 << 20 { await store.settle() }
        }
        return found
    }
}

#if os(Linux)
/// The moment at which a process ends: while it writes to a file, or a random time later.
private struct KillPlan {
    private let written = Watched(0)
    /// The number of the last write.
    private let last: Int
    private let isWithinWrite: Bool
    private let delay: Int
    private let share: Double

    init(seed: UInt64) {
        var random = SeededGenerator(seed: ~seed)
        last = .random(in: 1...400, using: &random)
        isWithinWrite = .random(using: &random)
        delay = .random(in: 0..<100_000, using: &random)
        share = .random(in: 0...1, using: &random)
    }

    @Sendable func write(_ data: Data, _ descriptor: CInt) -> CInt {
        let isLast = written.update { written in
            written += 1
            return written == last
        }
        guard isLast else { return Folder.writeAll(data, to: descriptor) }
        if isWithinWrite {
            _ = Folder.writeAll(data.prefix(Int(Double(data.count) * share)), to: descriptor)
            kill(getpid(), SIGKILL)
        }
        Thread.detachNewThread { [delay] in
            var sum = 0
            for step in 0..<delay { sum &+= step ^ sum }
            if sum != .max { kill(getpid(), SIGKILL) }
        }
        return Folder.writeAll(data, to: descriptor)
    }
}
#endif
