/// The operating system refused a file.
public struct FileError: Error, CustomStringConvertible {
    /// The file; `nil` for one without a name, such as a pipe.
    public let path: String?
    /// The system's error number.
    public let code: CInt

    public var description: String {
        "\(path ?? "the file"): \(String(cString: strerror(code)))"
    }
}
