import StreamsHTTP

/// One output of the command line: `-o` or `-O`.
enum OutputArgument: Equatable {
    case standardOutput
    case file(path: String)
    /// A file in the current folder, named by the URL.
    case remoteName

    /// Reads the value of `-o`.
    init(argument: String) {
        self = argument == "-" ? .standardOutput : .file(path: argument)
    }

    /// Returns the path of the output for a URL; `nil` for standard output.
    func path(for url: String) throws(UsageError) -> String? {
        switch self {
        case .standardOutput: nil
        case .file(let path): path
        case .remoteName: try Self.remoteName(of: url)
        }
    }

    /// Returns the name of a file that the last segment of a URL's path proposes.
    ///
    /// - Parameter isDecoded: Whether the segment is percent-decoded. curl decodes nothing of it.
    static func remoteName(of url: String, isDecoded: Bool = false) throws(UsageError) -> String {
        let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // The first three are the scheme, nothing, and the host.
        let segment = segments.count > 3 ? segments.last.map { Substring($0) } : nil
        let decoded = isDecoded ? segment.flatMap { String(validating: $0.utf8.percentDecoded, as: UTF8.self) } : nil
        guard let name = (decoded ?? segment.map(String.init))?.asRemoteFilename else {
            throw UsageError("\(url.quoted) has no file name; give one with -o")
        }
        return name
    }
}
