/// The file that a download is written to before it is complete: locked, and with a record of its contents beside it.
///
/// The lock belongs to the open file, so it also excludes other calls in this process. Its owner is the only one that
/// changes the file and the record. Whenever the process ends, the record was written before the contents that it
/// describes.
final class PartialFile {
    let path: String
    private let targetPath: String
    private let recordPath: String
    private let descriptor: CInt
    /// The number of bytes in the file.
    private(set) var size: Int64 = 0

    /// Opens and locks the file, which is created if there is none.
    init(for targetPath: String) throws(HTTPError.Reason) {
        self.targetPath = targetPath
        path = "\(targetPath).part"
        recordPath = "\(path).json"
        do throws(FileError) {
            guard !targetPath.isEmpty else { throw FileError(path: targetPath, code: ENOENT) }
            guard !Folder.isFolder(targetPath) else { throw FileError(path: targetPath, code: EISDIR) }
            // A device or a pipe would be replaced by a regular file.
            guard access(targetPath, F_OK) != 0 || Folder.isFile(targetPath) else {
                throw FileError(path: targetPath, code: EINVAL)
            }
            guard let descriptor = try Self.openLocked(path) else {
                throw FileError(path: path, code: EWOULDBLOCK)
            }
            self.descriptor = descriptor
        } catch {
            throw error.code == EWOULDBLOCK ? .invalidRequest(.downloadInProgress(path)) : error.reason
        }
        do throws(FileError) {
            size = try Self.checkedSize(of: descriptor, path)
        } catch {
            throw error.reason
        }
    }

    deinit {
        close(descriptor)
    }
}

// MARK: Opening

extension PartialFile {
    /// - Returns: `nil` if another owner has the lock.
    private static func openLocked(_ path: String) throws(FileError) -> CInt? {
        // More often than a file can be renamed by chance; some file systems do not tell one file by its number.
        for _ in 0..<100 {
            // Non-blocking, so that opening a FIFO does not wait before it is refused.
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
            guard lock(descriptor) else {
                let code = errno
                close(descriptor)
                guard code == EWOULDBLOCK else { throw FileError(path: path, code: code) }
                return nil
            }
            // The previous owner may have renamed or removed the file between the two calls.
            if isNamed(path, descriptor) { return descriptor }
            close(descriptor)
        }
        throw FileError(path: path, code: ESTALE)
    }

    private static func lock(_ descriptor: CInt) -> Bool {
        var result: CInt
        repeat { result = flock(descriptor, LOCK_EX | LOCK_NB) } while result != 0 && errno == EINTR
        return result == 0
    }

    /// Whether a path is still that of an open file.
    private static func isNamed(_ path: String, _ descriptor: CInt) -> Bool {
        var (named, opened) = (stat(), stat())
        return lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_dev == opened.st_dev
            && named.st_ino == opened.st_ino
    }

    /// Returns the size of a file, which has to be a regular one of this user's, without other names: in a folder that
    /// others can write to, they could have put another file at the path.
    private static func checkedSize(of descriptor: CInt, _ path: String) throws(FileError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(path: path, code: EINVAL) }
        guard status.st_uid == geteuid() else { throw FileError(path: path, code: EPERM) }
        guard status.st_nlink == 1 else { throw FileError(path: path, code: EMLINK) }
        return Int64(status.st_size)
    }
}

// MARK: Contents

extension PartialFile {
    /// The record of what is in the file; `nil` if there is none that can be used.
    var record: DownloadRecord? {
        // Longer than any record that this package writes.
        guard let length = try? FileBody.length(ofFileAt: recordPath), length <= 64 * 1024,
            let contents = try? Folder.contents(of: recordPath)
        else { return nil }
        return DownloadRecord(contents)
    }

    /// Empties the file, and records the contents that it is about to receive.
    func startOver(_ record: DownloadRecord) throws(FileError) {
        try truncate()
        try Folder.replaceFile(
            at: recordPath, with: record.encoded, through: "\(recordPath).new", isDurable: true)
    }

    /// Empties the file.
    func truncate() throws(FileError) {
        guard size > 0 else { return }
        // On the disk before the next record, which would otherwise describe the old contents after a power failure.
        guard ftruncate(descriptor, 0) == 0, fsync(descriptor) == 0 else { throw FileError(path: path, code: errno) }
        size = 0
    }

    /// Appends data. If not all of it can be written, the file keeps the rest, and ``size`` counts it.
    func append(_ data: Data) throws(FileError) {
        var position = 0
        while position < data.count {
            let (count, code) = data.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
                return (pwrite(descriptor, rest.baseAddress, rest.count, off_t(size)), errno)
            }
            if count > 0 {
                position += count
                size += Int64(count)
            } else if code != EINTR {
                throw FileError(path: path, code: code)
            }
        }
    }

    /// Reads the contents from an offset to the end, piece by piece.
    func read(from offset: Int64, _ body: (UnsafeRawBufferPointer) -> Void) throws(FileError) {
        var position = offset
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        while position < size {
            let (count, code) = buffer.withUnsafeMutableBytes { bytes in
                let wanted = Int(min(Int64(bytes.count), size - position))
                let count = pread(descriptor, bytes.baseAddress, wanted, off_t(position))
                let code = errno
                if count > 0 { body(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
                return (count, code)
            }
            if count == 0 || count < 0 && code != EINTR {
                throw FileError(path: path, code: count == 0 ? EIO : code)
            }
            position += Int64(max(count, 0))
        }
    }
}

// MARK: Ends

extension PartialFile {
    /// Gives the file its name, after its contents have reached the disk.
    func commit(permissions: Int) throws(FileError) {
        guard fchmod(descriptor, mode_t(permissions & 0o777)) == 0, fsync(descriptor) == 0 else {
            throw FileError(path: path, code: errno)
        }
        guard Self.isNamed(path, descriptor) else { throw FileError(path: path, code: ENOENT) }
        guard rename(path, targetPath) == 0 else { throw FileError(path: targetPath, code: errno) }
        Folder.syncFolder(of: targetPath)
        unlink(recordPath)
    }

    /// Removes the file and its record.
    func discard() {
        // In this order: when the file has no name, the next owner may write its record.
        unlink(recordPath)
        if Self.isNamed(path, descriptor) { unlink(path) }
    }
}

extension FileError {
    /// The reason of a download that fails with this error.
    var reason: HTTPError.Reason { .thrown(self, by: .file) }
}
