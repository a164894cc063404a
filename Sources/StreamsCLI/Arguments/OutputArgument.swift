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

    /// Returns the last segment of a URL's path, as the URL has it. curl decodes nothing of it, either.
    static func remoteName(of url: String) throws(UsageError) -> String {
        let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // The first three are the scheme, nothing, and the host.
        let name = segments.count > 3 ? segments.last.map { String(Substring($0)) } : nil
        guard let name, !["", ".", ".."].contains(name) else {
            throw UsageError("\(url.quoted) has no file name; give one with -o")
        }
        return name
    }
}
