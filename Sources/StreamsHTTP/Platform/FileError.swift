/// An error of the operating system for a file.
public struct FileError: Error, CustomStringConvertible {
    /// The path of the file; `nil` for a file without a path, such as a pipe.
    public let path: String?
    /// The system's error number (`errno`).
    public let code: CInt

    package init(path: String?, code: CInt) {
        self.path = path
        self.code = code
    }

    public var description: String {
        "\(path ?? "the file"): \(String(cString: strerror(code)))"
    }
}

extension String {
    /// Throws an error for a path with a NUL, at which the system's functions would end it.
    package func checkPath() throws(FileError) {
        if utf8.contains(0) { throw FileError(path: self, code: EINVAL) }
    }
}
