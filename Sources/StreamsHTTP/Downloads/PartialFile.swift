/// The file that a download is written to before it is complete: locked, and with a record of its contents beside it.
///
/// The lock belongs to the open file, so it also excludes other calls in this process. Its owner is the only one that
/// changes the file and the record. Whenever the process ends, the record was written before the contents that it
/// describes. So contents without a record are not a download's, and are neither changed nor removed.
final class PartialFile {
    private let targetPath: String
    private let paths: PartialPaths
    /// The open file, which may be read until it is released, also by others.
    let file: OpenFile
    /// The number of bytes in the file.
    private(set) var size: Int64 = 0
    /// The record of the contents that were found; `nil` if there are none.
    private(set) var record: DownloadRecord?

    /// Opens and locks the file, which is created if there is none.
    init(for targetPath: String) throws(HTTPError.Reason) {
        self.targetPath = targetPath
        try Self.checkTarget(targetPath)
        paths = try PartialPaths(of: targetPath)
        let isNew: Bool
        (file, isNew) = try Self.openLocked(paths.contents)
        do throws(HTTPError.Reason) {
            try readContents()
        } catch {
            if isNew, file.isNamed { unlink(path) }
            throw error
        }
    }

    private var path: String { paths.contents }

    deinit {
        // The lock ends with its owner, not with the last reader.
        flock(file.descriptor, LOCK_UN)
    }
}

// MARK: Opening

extension PartialFile {
    private static func checkTarget(_ path: String) throws(HTTPError.Reason) {
        do throws(FileError) { try path.checkPath() } catch { throw error.reason }
        guard !path.isEmpty else { throw .file(path, ENOENT) }
        guard !Folder.isFolder(path) else { throw .file(path, EISDIR) }
        // A device or a pipe would be replaced by a regular file.
        guard access(path, F_OK) != 0 || Folder.isFile(path) else { throw .file(path, EINVAL) }
        // A name that is too long, for one, would be noticed only at the end.
        var status = stat()
        guard lstat(path, &status) == 0 || errno == ENOENT else { throw .file(path, errno) }
    }

    private static func openLocked(_ path: String) throws(HTTPError.Reason) -> (file: OpenFile, isNew: Bool) {
        // More often than a file can be renamed by chance; some file systems do not tell one file by its number.
        for _ in 0..<100 {
            // Non-blocking, so that opening a FIFO does not wait before it is refused.
            let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            var descriptor = open(path, flags | O_CREAT | O_EXCL, 0o600)
            let isNew = descriptor >= 0
            if !isNew, errno == EEXIST {
                descriptor = open(path, flags)
                // The previous owner may have renamed or removed the file between the two calls.
                if descriptor < 0, errno == ENOENT { continue }
            }
            guard descriptor >= 0 else { throw openingFailure(path, errno) }
            let file = OpenFile(path: path, descriptor: descriptor)
            guard lock(file.descriptor) else { throw openingFailure(path, errno) }
            // As above.
            if file.isNamed { return (file, isNew) }
        }
        throw .file(path, ESTALE)
    }

    /// The reason of a file that could not be opened and locked.
    private static func openingFailure(_ path: String, _ code: CInt) -> HTTPError.Reason {
        code == EWOULDBLOCK ? .invalidRequest(.downloadInProgress(path)) : .file(path, code)
    }

    private static func lock(_ descriptor: CInt) -> Bool {
        var result: CInt
        repeat { result = flock(descriptor, LOCK_EX | LOCK_NB) } while result != 0 && errno == EINTR
        return result == 0
    }

    /// Checks that all files are a download's, and reads the size and the record of the contents.
    private func readContents() throws(HTTPError.Reason) {
        guard let status = file.status else { throw .file(path, errno) }
        size = Int64(status.st_size)
        try Self.check(status, path)
        record = try Self.record(at: paths.record)
        // After a crash, it may not have replaced the record.
        _ = try Self.record(at: paths.nextRecord)
        guard size == 0 || record != nil else { throw .file(path, EEXIST) }
    }

    /// Returns the record at a path; `nil` if there is no file, or an empty one.
    private static func record(at path: String) throws(HTTPError.Reason) -> DownloadRecord? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .file(path, errno) }
            return nil
        }
        try check(status, path)
        guard status.st_size > 0 else { return nil }
        // Longer than any record that this package writes.
        guard status.st_size <= 64 * 1024, let contents = try? Folder.contents(of: path),
            let record = DownloadRecord(contents)
        else { throw .file(path, EEXIST) }
        return record
    }

    /// Checks that a file is a regular one of this user's, without other names: in a folder that others can write to, they
    /// could have put another file at the path.
    private static func check(_ status: stat, _ path: String) throws(HTTPError.Reason) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .file(path, EISDIR)
        case S_IFLNK: throw .file(path, ELOOP)
        default: throw .file(path, EINVAL)
        }
        guard status.st_uid == geteuid() else { throw .file(path, EPERM) }
        guard status.st_nlink == 1 else { throw .file(path, EMLINK) }
    }
}

// MARK: Contents

extension PartialFile {
    /// Empties the file, and records the contents that it is about to receive.
    func startOver(_ record: DownloadRecord) throws(HTTPError.Reason) {
        try truncate()
        do throws(FileError) {
            try Folder.replaceFile(
                at: paths.record, with: record.encoded, through: paths.nextRecord, isDurable: true)
        } catch {
            throw error.reason
        }
    }

    /// Empties the file.
    func truncate() throws(HTTPError.Reason) {
        guard size > 0 else { return }
        // On the disk before the next record, which would otherwise describe the old contents after a power failure.
        guard ftruncate(file.descriptor, 0) == 0, fsync(file.descriptor) == 0 else { throw .file(path, errno) }
        size = 0
    }

    /// Appends data. If not all of it can be written, the file keeps the rest, and ``size`` counts it.
    func append(_ data: Data) throws(HTTPError.Reason) {
        var position = 0
        while position < data.count {
            let (count, code) = data.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
                return (pwrite(file.descriptor, rest.baseAddress, rest.count, off_t(size)), errno)
            }
            if count > 0 {
                position += count
                size += Int64(count)
            } else if code != EINTR {
                throw .file(path, code)
            }
        }
    }
}

// MARK: Ends

extension PartialFile {
    /// Gives the file its name, after its contents have reached the disk.
    ///
    /// - Parameters:
    ///   - permissions: The permissions of the complete file.
    ///   - record: The record of the contents, by which a later download recognises them.
    func commit(permissions: Int, _ record: DownloadRecord?) throws(HTTPError.Reason) {
        guard fchmod(file.descriptor, mode_t(permissions & 0o777)) == 0, fsync(file.descriptor) == 0 else {
            throw .file(path, errno)
        }
        // Before the renaming, so that a file never has its name without its record.
        if let record { CompletionRecord(record, of: file)?.attach(to: file) }
        guard file.isNamed else { throw .file(path, ENOENT) }
        guard rename(path, targetPath) == 0 else { throw .file(targetPath, errno) }
        Folder.syncFolder(of: targetPath)
        removeRecords()
    }

    /// Removes the file and its record.
    func discard() {
        // In this order: contents without a record are refused, and when the file has no name, the next owner may write
        // its record.
        try? truncate()
        removeRecords()
        if file.isNamed { unlink(path) }
    }

    private func removeRecords() {
        unlink(paths.record)
        // After a crash, it may not have replaced the record.
        unlink(paths.nextRecord)
    }
}

extension FileError {
    /// The reason of a download that fails with this error.
    var reason: HTTPError.Reason { .thrown(self, by: .file) }
}

extension HTTPError.Reason {
    /// The reason of a download that fails because of a file, with the system's error number.
    fileprivate static func file(_ path: String, _ code: CInt) -> Self { FileError(path: path, code: code).reason }
}

/// The paths of the files that a download has beside its target while it runs.
///
/// Their names are this package's own. A target cannot have such a name: it would be the file of another download.
struct PartialPaths {
    private static let suffix = ".streams-part"
    private static let recordSuffix = "\(suffix).json"
    private static let nextRecordSuffix = "\(recordSuffix).new"
    /// The size in bytes of the largest name of a target that the names contain as it is. File systems allow 255 bytes.
    private static let maxStemSize = 215
    /// The size in bytes of the beginning of a larger name, which its digest follows.
    private static let prefixSize = 150

    /// The path of the partial file.
    let contents: String
    /// The path of the record of its contents.
    let record: String
    /// The path of the next record, which replaces the record when it is complete.
    let nextRecord: String

    init(of target: String) throws(HTTPError.Reason) {
        let slash = target.utf8.lastIndex(of: UInt8(ascii: "/"))
        let start = slash.map { target.utf8.index(after: $0) } ?? target.startIndex
        guard !Self.isReserved(target[start...]) else {
            throw .thrown(FileError(path: target, code: EINVAL), by: .file)
        }
        let stem = target[..<start] + Self.stem(of: target[start...])
        contents = stem + Self.suffix
        record = stem + Self.recordSuffix
        nextRecord = stem + Self.nextRecordSuffix
    }

    /// Returns whether a name is that of a file beside a target.
    static func isReserved(_ name: some StringProtocol) -> Bool {
        // Some file systems ignore case.
        let name = name.lowercased()
        return [suffix, recordSuffix, nextRecordSuffix].contains { name.hasSuffix($0) }
    }

    /// Returns the common beginning of the names that belong to a target's name.
    private static func stem(of name: Substring) -> String {
        guard name.utf8.count > maxStemSize else { return String(name) }
        var hash = SHA2(.sha256)
        Array(name.utf8).withUnsafeBytes { hash.update($0) }
        let digits = FileChecksum(hash).description.split(separator: ":").last ?? ""
        // A character that is cut off is replaced by one of three bytes.
        return String(decoding: name.utf8.prefix(prefixSize), as: UTF8.self) + ".\(digits)"
    }
}
