// What transports of other modules may know of a body beside its bytes.
extension HTTPBody {
    /// The path of the file that the body is, where it is one.
    package var filePath: String? {
        if case .file(let path) = content { path } else { nil }
    }

    /// The body itself, where it is in memory.
    package var data: Data? {
        if case .data(let data) = content { data } else { nil }
    }
}
