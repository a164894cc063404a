import CStreams

/// The file at the path of a download, before the download: one that an earlier download has completed, or any other.
struct CompleteFile {
    let file: OpenFile
    let size: Int64
    /// The record of the contents; `nil` if no download has written them, or if they have been changed since.
    let record: DownloadRecord?
    /// The time of the last change.
    private let modification: timespec

    /// Opens the file; `nil` if there is none that this user could have downloaded.
    init?(at path: String) {
        // Non-blocking, so that opening a FIFO does not wait for a writer before it is refused.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let file = OpenFile(path: path, descriptor: descriptor)
        guard let status = file.status, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_nlink == 1
        else { return nil }
        self.file = file
        size = Int64(status.st_size)
        modification = status.modification
        record = CompletionRecord(attachedTo: file)?.record(of: status)
    }

    /// Whether the path is still that of the same contents.
    var isUnchanged: Bool {
        guard file.isNamed, let status = file.status else { return false }
        return Int64(status.st_size) == size && status.modification.tv_sec == modification.tv_sec
            && status.modification.tv_nsec == modification.tv_nsec
    }

    /// Gives the file the permissions of a complete one.
    func setPermissions(_ permissions: Int) throws(FileError) {
        let permissions = mode_t(permissions & 0o777)
        guard let status = file.status, status.st_mode & 0o777 != permissions else { return }
        guard fchmod(file.descriptor, permissions) == 0 else { throw FileError(path: file.path, code: errno) }
    }
}

/// The record of a complete file's contents: an extended attribute of the file, so that it has no file of its own, moves
/// with the file, and becomes visible at the same moment. It is no longer valid when the contents have been changed.
///
/// Not every file system has extended attributes. There, a complete file is recognised by a checksum only.
struct CompletionRecord: Codable {
    private static let attribute = "user.streams.download"
    /// Above the size that a record can have. Many file systems allow less, and longer ones are not attached.
    private static let maxSize = 16 * 1024

    private var record: DownloadRecord
    private let seconds: Int64
    private let nanoseconds: Int64

    /// Creates the record of a file that is not written to any more; `nil` if no later download could make use of it.
    init?(_ record: DownloadRecord, of file: OpenFile) {
        guard record.validator != nil, let status = file.status else { return nil }
        self.record = record
        self.record.total = Int64(status.st_size)
        seconds = Int64(status.modification.tv_sec)
        nanoseconds = Int64(status.modification.tv_nsec)
    }

    /// Reads the record of a file; `nil` if it has none.
    init?(attachedTo file: OpenFile) {
        var value = [UInt8](repeating: 0, count: Self.maxSize)
        let count = streams_get_attribute(file.descriptor, Self.attribute, &value, value.count)
        guard count > 0, let record = try? JSONDecoder().decode(Self.self, from: Data(value[..<count])) else {
            return nil
        }
        self = record
    }

    /// Returns the record of the contents; `nil` if it is not that of a file with this status.
    func record(of status: stat) -> DownloadRecord? {
        let isValid =
            record.total == Int64(status.st_size) && seconds == Int64(status.modification.tv_sec)
            && nanoseconds == Int64(status.modification.tv_nsec)
        return isValid ? record : nil
    }

    /// Attaches the record to the file. Failures are ignored: a later download then downloads the file again.
    func attach(to file: OpenFile) {
        guard let value = try? JSONEncoder().encode(self) else { return }
        value.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = streams_set_attribute(file.descriptor, Self.attribute, start, bytes.count)
        }
    }
}
