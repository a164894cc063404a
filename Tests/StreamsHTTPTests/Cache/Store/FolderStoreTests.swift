import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

@Suite struct FolderStoreTests {
    private let folder: SampleFolder
    private let sample = StoredSample(offset: 11, count: 1000)
    private let large = StoredSample(offset: 12, count: 200_000)

    init() throws { folder = try SampleFolder() }

    private func permissions(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    // MARK: Files

    @Test func findsItsEntriesAfterItIsOpenedAgain() async throws {
        let keys = try (0..<300).map { try CacheKey.sample($0, shard: UInt8(truncatingIfNeeded: $0)) }
        let (secret, usage): ([UInt8], CacheUsage)
        do {
            let store = try await folder.open()
            for (index, key) in keys.enumerated() {
                try store.write(StoredSample(offset: index, count: 500 * index), for: key)
                // If the disk were slower than the writer, the entry would not be stored.
                await store.settle()
            }
            (secret, usage) = (store.secret, await store.settledUsage)
        }
        let store = try await folder.open()
        #expect(store.secret == secret)
        #expect(store.usage == usage && usage.entries == 300)
        for (index, key) in keys.enumerated() {
            #expect(try await store.sample(key) == StoredSample(offset: index, count: 500 * index))
        }
        #expect(await store.removeAll() == nil)
        #expect(try folder.files == [])
        #expect(try FolderStore(path: folder.path, maxBytes: 1, maxEntries: 1).secret == secret)
    }

    @Test func givesOnlyItsUserAccess() async throws {
        let store = try await folder.open()
        for (number, sample) in [sample, large].enumerated() { try store.write(sample, for: .sample(number)) }
        await store.settle()
        #expect(try permissions(of: folder.path) == 0o700)
        #expect(try permissions(of: "\(folder.path)/07") == 0o700)
        for name in try folder.files + ["secret"] { #expect(try permissions(of: "\(folder.path)/\(name)") == 0o600) }
        // Neither a record nor a body is in a name.
        #expect(try folder.files.allSatisfy { $0.wholeMatch(of: /07\/07[0-9a-f]{62}/) != nil })
    }

    @Test func refusesFoldersThatOthersMayChange() throws {
        let path = folder.path
        func failure(_ path: String) -> CInt? {
            do throws(FileError) {
                _ = try FolderStore(path: path, maxBytes: 1 << 20, maxEntries: 10)
                return nil
            } catch { return error.code }
        }
        for (mode, code) in [(0o777, EPERM), (0o720, EPERM), (0o702, EPERM), (0o755, nil), (0o500, nil)] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try #require(chmod(path, mode_t(mode)) == 0)
            #expect(failure(path) == code, "\(mode)")
            try FileManager.default.removeItem(atPath: path)
        }
        try Data().write(to: URL(filePath: path))
        #expect(failure(path) == ENOTDIR)
        #expect(failure("\(path)/x") == ENOTDIR)
        #expect(failure("\(folder.scratch.path)/x/y") == ENOENT)
        #expect(failure("\(path)\0") == EINVAL)
        #expect(failure("") == ENOENT)
        if geteuid() == 0 {
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try #require(chown(path, 65_534, 65_534) == 0)
            #expect(failure(path) == EPERM)
        }
    }

    @Test func replacesASecretThatIsDamaged() async throws {
        let secret = try await folder.open().secret
        try Data([1, 2, 3]).write(to: URL(filePath: "\(folder.path)/secret"))
        let replaced = try await folder.open().secret
        #expect(replaced.count == 32 && replaced != secret)
        #expect(try await folder.open().secret == replaced)
        // One that others may read is no secret, and no file of the store.
        try #require(chmod("\(folder.path)/secret", 0o644) == 0)
        let temporary = try await folder.open().secret
        #expect(temporary.count == 32 && temporary != replaced)
        #expect(try Data(contentsOf: URL(filePath: "\(folder.path)/secret")) == Data(replaced))
        #expect(try folder.files == [])
    }

    @Test func createsItsFoldersAgain() async throws {
        let store = try await folder.open()
        try store.write(large, for: .sample(1))
        await store.settle()
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(try await store.entry(.sample(1)) == nil)
        #expect(await store.removeAll() == nil)
        try store.write(large, for: .sample(1))
        #expect(try await store.sample(.sample(1)) == large)
    }

    // MARK: Files of others

    /// Files with other names, other kinds of files, and files that others have access to.
    @Test func leavesForeignFilesAlone() async throws {
        let store = try await folder.open()
        try store.write(sample, for: .sample(0))
        await store.settle()
        let keys = try (1...5).map { try CacheKey.sample($0) }
        let paths = try keys.map { try folder.path(of: $0) }
        let target = "\(folder.scratch.path)/target"
        try FileManager.default.copyItem(atPath: folder.path(of: .sample(0)), toPath: target)
        try #require(mkfifo(paths[0], 0o600) == 0)
        try #require(symlink(target, paths[1]) == 0)
        try FileManager.default.createDirectory(atPath: paths[2], withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: target, toPath: paths[3])
        try #require(chmod(paths[3], 0o640) == 0)
        try #require(symlink("\(folder.scratch.path)/missing", paths[4]) == 0)
        let name = String(try folder.path(of: .sample(0xABCDEF)).suffix(64))
        let others = [
            "note", "07/note", "07/.hidden", "07/\(name)x", "07/\(name.uppercased())", "07/\(name).1", "08/\(name)",
            "07/\(name).0123456789abcdef0123456789abcdeg", "07/\(name).0123456789abcdef0123456789abcdef.x", name,
        ]
        try FileManager.default.createDirectory(atPath: "\(folder.path)/08", withIntermediateDirectories: false)
        for other in others {
            let path = "\(folder.path)/\(other)"
            try Data(other.utf8).write(to: URL(filePath: path))
            try #require(chmod(path, 0o600) == 0)
            folder.setAge(100_000, of: path)
        }
        let before = try folder.files
        for key in keys {
            #expect(await store.entry(key) == nil)
            try store.write(large, for: key)
            store.put(sample.record, for: key)
            store.remove(key)
            #expect(await store.entry(key) == nil)
        }
        #expect(try await store.sample(.sample(0)) == sample)
        #expect(try folder.files == before)
        // The scan removes everything that it may, and so does the removal of all entries.
        let small = try await folder.open(maxBytes: 10, maxEntries: 1)
        #expect(small.usage == CacheUsage())
        #expect(try folder.files == before.filter { $0 != "07/" + String(try folder.path(of: .sample(0)).suffix(64)) })
        #expect(await store.removeAll() == nil)
        for other in others {
            #expect(try Data(contentsOf: URL(filePath: "\(folder.path)/\(other)")) == Data(other.utf8))
        }
        #expect(try Data(contentsOf: URL(filePath: target)).count > 1000)
    }

    @Test func followsNoLinkToAnEntry() async throws {
        let (store, target) = (try await folder.open(), "\(folder.scratch.path)/target")
        try store.write(sample, for: .sample(0))
        await store.settle()
        try FileManager.default.moveItem(atPath: folder.path(of: .sample(0)), toPath: target)
        try #require(symlink(target, folder.path(of: .sample(0))) == 0)
        #expect(try await store.entry(.sample(0)) == nil)
        #expect(try folder.files.count == 1)
        // The file itself is an entry.
        try FileManager.default.removeItem(atPath: folder.path(of: .sample(0)))
        try FileManager.default.moveItem(atPath: target, toPath: folder.path(of: .sample(0)))
        #expect(try await store.sample(.sample(0)) == sample)
    }

    /// A link in place of one of the folders leads to files that are not the store's.
    @Test func removesNothingBehindALinkToAFolder() async throws {
        let store = try await folder.open()
        try store.write(sample, for: .sample(0))
        await store.settle()
        let moved = "\(folder.scratch.path)/moved"
        try FileManager.default.moveItem(atPath: "\(folder.path)/07", toPath: moved)
        try #require(symlink(moved, "\(folder.path)/07") == 0)
        _ = try await folder.open(maxBytes: 1, maxEntries: 1)
        #expect(await store.removeAll() == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: moved).count == 1)
    }

    /// As root, another user is needed.
    @Test func servesFromAFolderThatCannotBeWrittenTo() async throws {
        do {
            let store = try await folder.open()
            for (number, sample) in [sample, large].enumerated() { try store.write(sample, for: .sample(number)) }
            await store.settle()
        }
        let before = try folder.files
        if geteuid() == 0 {
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) + [""] {
                try #require(chown("\(folder.path)/\(name)", 65_534, 65_534) == 0)
            }
            try #require(chmod(folder.scratch.path, 0o755) == 0)
        }
        for path in ["\(folder.path)/07", folder.path] { try #require(chmod(path, 0o500) == 0) }
        defer { for path in ["\(folder.path)/07", folder.path] { chmod(path, 0o700) } }
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            if geteuid() == 0 { try #require(seteuid(65_534) == 0) }
            let store = try FolderStore(path: path, maxBytes: 1, maxEntries: 1)
            await store.settle()
            #expect(try await store.sample(.sample(0)) == StoredSample(offset: 11, count: 1000))
            #expect(try await store.sample(.sample(1)) == StoredSample(offset: 12, count: 200_000))
            try store.write(StoredSample(offset: 1, count: 100_000), for: .sample(2))
            try store.write(StoredSample(offset: 1, count: 1), for: .sample(0))
            store.remove(try .sample(1))
            #expect(try await store.entry(.sample(2)) == nil)
            #expect(try await store.sample(.sample(0)) == StoredSample(offset: 11, count: 1000))
            #expect(await store.removeAll()?.code == EACCES)
            #expect(store.usage.entries == 2)
        }
        #expect(try folder.files == before)
    }
}
