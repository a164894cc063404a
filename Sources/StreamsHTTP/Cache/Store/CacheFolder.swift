/// The files of a store in a folder. Entries are in 256 folders, by the first byte of their keys.
///
///     secret                      32 random bytes
///     ab/ab31...                  an entry, named by its key in hexadecimal digits
///     ab/ab31.... 5f02...         an entry that is being written, with a random number
///
/// Only regular files of this user that no other user has access to, with such names, are the store's. All others are
/// neither read nor removed.
struct CacheFolder {
    static let shardCount = 256

    /// A file that the store may remove.
    struct File {
        let path: String
        let status: stat
        /// Whether the file is an entry rather than one that is being written.
        let isEntry: Bool
    }

    let path: String

    /// Opens a folder, which is created if there is none.
    init(_ path: String) throws(FileError) {
        try Self.prepare(path)
        // The process may change its working directory.
        guard let resolved = Folder.resolved(path) else { throw FileError(path: path, code: errno) }
        self.path = resolved
    }

    /// Creates a folder, and checks that only this user can change it: others could have files of this user removed.
    private static func prepare(_ path: String) throws(FileError) {
        try path.checkPath()
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileError(path: path, code: errno) }
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileError(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw FileError(path: path, code: ENOTDIR) }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else { throw FileError(path: path, code: EPERM) }
    }

    // MARK: Paths

    /// Returns the number of the folder with a key's entry.
    static func shard(of key: CacheKey) -> Int { Int(key.bytes.first ?? 0) }

    private func path(ofShard shard: Int) -> String { "\(path)/\([UInt8(truncatingIfNeeded: shard)].hexadecimal)" }

    /// Returns the path of a key's entry.
    func path(of key: CacheKey) -> String { "\(path(ofShard: Self.shard(of: key)))/\(key.bytes.hexadecimal)" }

    private static let digitCounts = (key: 64, number: 32)

    /// Returns whether a name is that of an entry, or of one that is being written; `nil` if it is neither.
    private static func isEntry(_ name: String) -> Bool? {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let key = parts.first, key.count == digitCounts.key, key.allSatisfy(isDigit) else { return nil }
        if parts.count == 1 { return true }
        return parts.count == 2 && parts[1].count == digitCounts.number && parts[1].allSatisfy(isDigit) ? false : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    // MARK: Files

    /// Opens a file of the store; `nil` if there is none that is its own.
    static func openFile(at path: String, _ access: CInt = O_RDONLY) -> (file: OpenFile, status: stat)? {
        // Non-blocking, so that opening a FIFO does not wait before it is refused.
        let descriptor = open(path, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let file = OpenFile(path: path, descriptor: descriptor)
        guard let status = file.status, status.isOwn else { return nil }
        return (file, status)
    }

    /// Creates a file for an entry that is being written.
    func createFile(for key: CacheKey) throws(FileError) -> OpenFile {
        let path = "\(path(of: key)).\([UInt8].random(count: 16).hexadecimal)"
        do throws(FileError) {
            return try Self.createFile(at: path)
        } catch {
            guard error.code == ENOENT else { throw error }
            // The folders are created when they are needed, also if another process has removed them.
            try Self.prepare(self.path)
            let folder = self.path(ofShard: Self.shard(of: key))
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw FileError(path: folder, code: errno) }
            return try Self.createFile(at: path)
        }
    }

    private static func createFile(at path: String) throws(FileError) -> OpenFile {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
        flock(descriptor, LOCK_EX | LOCK_NB)
        return OpenFile(path: path, descriptor: descriptor)
    }

    /// Removes a file that a process was writing when it ended. Other files are locked by their writers. A file that is
    /// mistaken for an abandoned one, because its lock is about to follow, is an entry that is not stored.
    ///
    /// - Returns: Whether the file was removed.
    static func removeAbandoned(_ path: String) -> Bool {
        guard let (file, _) = openFile(at: path) else { return false }
        return flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 && unlink(path) == 0
    }

    /// Returns the files of the store in one of the folders.
    func files(inShard shard: Int) throws(FileError) -> [File] {
        let folder = path(ofShard: shard)
        var status = stat()
        // Another user's folder, or a link to one, has no file of the store.
        guard lstat(folder, &status) == 0 else {
            guard errno == ENOENT else { throw FileError(path: folder, code: errno) }
            return []
        }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else { return [] }
        let prefix = [UInt8(truncatingIfNeeded: shard)].hexadecimal
        return try Folder.names(in: folder).compactMap { name in
            guard name.hasPrefix(prefix), let isEntry = Self.isEntry(name) else { return nil }
            let path = "\(folder)/\(name)"
            return Self.ownStatus(of: path).map { File(path: path, status: $0, isEntry: isEntry) }
        }
    }

    /// Returns the status of a file of the store; `nil` if there is none that is its own.
    static func ownStatus(of path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 && status.isOwn ? status : nil
    }

    /// Returns whether another file could take a name: there is no file, or one of the store.
    static func isFree(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 ? status.isOwn : errno == ENOENT
    }
}

// MARK: Secret

extension CacheFolder {
    /// Returns the secret in the folder, which is created if there is none. If it cannot be read, the secret is another
    /// one each time, with which no entry that belongs to credentials is found.
    func secret() -> [UInt8] {
        let path = "\(path)/secret"
        if let secret = Self.secret(at: path) { return secret }
        let secret = [UInt8].random(count: 32)
        let temporary = "\(path).\([UInt8].random(count: 16).hexadecimal)"
        guard let file = try? Self.createFile(at: temporary) else { return secret }
        defer { unlink(temporary) }
        guard Folder.writeAll(Data(secret), to: file.descriptor) == 0 else { return secret }
        // One process among several creates it. A file that was damaged is replaced.
        if link(temporary, path) != 0, Self.secret(at: path) == nil, Self.isFree(path) { rename(temporary, path) }
        return Self.secret(at: path) ?? secret
    }

    private static func secret(at path: String) -> [UInt8]? {
        guard let (file, status) = openFile(at: path), status.st_size == 32 else { return nil }
        var secret = [UInt8](repeating: 0, count: 32)
        return (try? secret.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }).map { secret }
    }
}

extension stat {
    /// Whether the file can be a store's: a regular one of this user that others have no access to.
    fileprivate var isOwn: Bool {
        st_mode & S_IFMT == S_IFREG && st_uid == geteuid() && st_mode & 0o077 == 0
    }
}

extension [UInt8] {
    /// The bytes in hexadecimal digits.
    fileprivate var hexadecimal: String {
        let digits: StaticString = "0123456789abcdef"
        return String(unsafeUninitializedCapacity: 2 * count) { text in
            for (index, byte) in enumerated() {
                text[2 * index] = digits.utf8Start[Int(byte >> 4)]
                text[2 * index + 1] = digits.utf8Start[Int(byte & 15)]
            }
            return 2 * count
        }
    }
}
