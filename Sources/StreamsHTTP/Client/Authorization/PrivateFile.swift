/// A file that only its owner has access to.
enum PrivateFile {
    /// Returns a file's contents; `nil` if there is no file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - maxSize: The number of bytes above which the file is not read.
    /// - Throws: ``FileCredentialStore/Refusal`` for a file that other users have any access to, or that another user
    ///   owns; or ``FileError``.
    static func contents(of path: String, maxSize: Int = .max) throws -> Data? {
        try path.checkPath()
        // Non-blocking, so that opening a FIFO does not wait for a writer before it is refused.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError(path: path, code: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw FileCredentialStore.Refusal(path: path)
        }
        return try contents(of: descriptor, path, maxSize: maxSize)
    }

    private static func contents(of descriptor: CInt, _ path: String, maxSize: Int) throws(FileError) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                data.append(contentsOf: buffer[..<count])
                guard data.count <= maxSize else { throw FileError(path: path, code: EFBIG) }
            } else if count == 0 {
                return data
            } else if errno != EINTR {
                throw FileError(path: path, code: errno)
            }
        }
    }
}
