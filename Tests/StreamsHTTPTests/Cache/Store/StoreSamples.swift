import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// A body and its record. The record says which bytes are to be in the body: those of ``GeneratedBytes`` from an offset.
struct StoredSample: Hashable, Sendable {
    let offset: Int
    let count: Int

    var record: CacheRecord { .variants(generation: UInt64(offset), fields: ["\(count)"]) }
    var body: Data { Data(GeneratedBytes.bytes(offset..<offset + count)) }

    init(offset: Int, count: Int) {
        (self.offset, self.count) = (offset, count)
    }

    /// The sample with a record.
    init?(_ record: CacheRecord) {
        guard case .variants(let generation, let fields) = record, let count = fields.first.flatMap({ Int($0) }) else {
            return nil
        }
        self.init(offset: Int(generation), count: count)
    }
}

extension CacheKey {
    /// A key whose first byte is a number, so that the folder of its entry is known.
    static func sample(_ number: Int, shard: UInt8 = 7) throws -> CacheKey {
        let number = withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
        return try #require(CacheKey(bytes: [shard] + [UInt8](repeating: 1, count: 23) + number))
    }
}

/// Returns the value with which a completion is called.
///
/// Thread Sanitizer does not see that a continuation orders two threads, and sees the lock of ``Watched``.
private func completed<Value: Sendable>(_ call: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
    let turn = Watched(0)
    let value = await withCheckedContinuation { continuation in
        call { value in
            turn.update { $0 = 1 }
            continuation.resume(returning: value)
        }
    }
    _ = turn.value
    return value
}

extension CacheStore {
    func entry(_ key: CacheKey) async -> CacheEntry? { await completed { find(key, $0) } }

    /// The sample of an entry, all of whose body is as its record says; `nil` if there is none.
    func sample(_ key: CacheKey, pieces: Int = .max, _ location: SourceLocation = #_sourceLocation) async throws
        -> StoredSample?
    {
        guard let entry = await entry(key) else { return nil }
        return try await entry.sample(pieces: pieces, location)
    }

    /// Stores a sample, in pieces.
    func write(_ sample: StoredSample, for key: CacheKey, pieces: Int = 10_007) throws {
        let writer = try #require(makeWriter(for: key, length: nil))
        writer.append(sample, pieces: pieces)
        writer.finish(sample.record)
    }

    func removeAll() async -> FileError? { await completed { removeAll($0) } }
}

extension CacheWriter {
    func append(_ sample: StoredSample, pieces: Int = 10_007) {
        var rest = sample.body
        while !rest.isEmpty {
            append(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
        }
    }
}

extension CacheEntry {
    func read(at offset: Int64, maxCount: Int) async throws -> Data {
        try await completed { read(at: offset, maxCount: maxCount, $0) }.get()
    }

    /// The body, read in pieces of at most a number of bytes.
    func contents(pieces: Int = .max) async throws -> Data {
        var body = Data()
        while case let piece = try await read(at: Int64(body.count), maxCount: pieces), !piece.isEmpty {
            #expect(piece.count <= pieces)
            body += piece
        }
        return body
    }

    /// The sample of the record, whose bytes are compared with the body.
    func sample(pieces: Int = .max, _ location: SourceLocation = #_sourceLocation) async throws -> StoredSample {
        let sample = try #require(StoredSample(record), sourceLocation: location)
        let isExact = try await contents(pieces: pieces) == sample.body
        #expect(isExact && bodyLength == sample.count, "the body is another one", sourceLocation: location)
        return sample
    }
}

/// A store in a folder that is gone when its owner is.
final class SampleFolder: Sendable {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    var path: String { scratch.path + "/cache" }

    /// Opens the store, and waits until its files have been counted.
    func open(
        maxBytes: Int64 = 64 << 20, maxEntries: Int = 10_000, maxReadTime: DispatchTimeInterval = .seconds(300),
        writing: @escaping UnfinishedEntry.WriteBytes = Folder.writeAll
    ) async throws -> FolderStore {
        let store = try FolderStore(
            path: path, maxBytes: maxBytes, maxEntries: maxEntries, maxReadTime: maxReadTime, writing: writing)
        await store.settle()
        return store
    }

    /// The paths of all files but the secret, relative to the folder.
    var files: [String] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
                var isFolder: ObjCBool = false
                // A link may have no target.
                return
                    !(FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
                    && isFolder.boolValue) && name != "secret"
            }.sorted()
        }
    }

    /// The path of a key's file.
    func path(of key: CacheKey) throws -> String { try CacheFolder(path).path(of: key) }

    func contents(of key: CacheKey) throws -> Data { try Data(contentsOf: URL(filePath: path(of: key))) }

    /// Changes the contents of a key's file, and neither its owner nor its permissions.
    func replace(_ contents: Data, of key: CacheKey) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path(of: key)))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: contents)
        try handle.close()
    }

    /// Changes the time of a file's last use, in seconds from now.
    func setAge(_ age: Int, of path: String) {
        let use = timespec(tv_sec: time(nil) - age, tv_nsec: 0)
        utimensat(AT_FDCWD, path, [use, use], AT_SYMLINK_NOFOLLOW)
    }
}

extension FolderStore {
    /// Waits until all that was requested is done, and no files are being counted.
    func settle() async {
        repeat {
            await withCheckedContinuation { continuation in perform { continuation.resume() } }
        } while isScanning
    }

    /// The size of the store, after all that was requested.
    var settledUsage: CacheUsage {
        get async {
            await settle()
            return usage
        }
    }
}
