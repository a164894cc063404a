/// An open file, which is closed when its last user releases it.
final class OpenFile: Sendable {
    /// The path at which the file was opened.
    let path: String
    let descriptor: CInt

    init(path: String, descriptor: CInt) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// The status of the file; `nil` if the system has none.
    var status: stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }

    /// Whether the path is still that of the file.
    var isNamed: Bool {
        var named = stat()
        guard let status, lstat(path, &named) == 0 else { return false }
        return named.st_dev == status.st_dev && named.st_ino == status.st_ino
    }

    /// Reads as many bytes as a buffer can hold.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) {
        var rest = buffer[...]
        while !rest.isEmpty {
            let next = UnsafeMutableRawBufferPointer(rebasing: rest)
            let count = pread(descriptor, next.baseAddress, next.count, off_t(offset) + off_t(rest.startIndex))
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                throw FileError(path: path, code: count == 0 ? EIO : errno)
            }
        }
    }
}
