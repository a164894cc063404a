import StreamsHTTP

/// One output of the command line: `-o` or `-O`.
enum OutputArgument: Equatable {
    case standardOutput
    /// A file. Its path may have places for the texts of the URL's patterns.
    case file(path: String)
    /// A file that the URL names.
    case remoteName

    /// Reads the value of `-o`.
    init(argument: String) {
        self = argument == "-" ? .standardOutput : .file(path: argument)
    }

    /// Returns the path of the output for a URL; `nil` for standard output.
    ///
    /// - Parameters:
    ///   - folder: The folder of all paths, even of those that begin with a slash, as with curl; `nil` for none.
    ///   - decodesName: Whether a name in the URL is percent-decoded.
    func path(
        for url: URLPattern.Element, in folder: String?, decodesName: Bool = false
    ) throws(UsageError) -> String? {
        let path: String
        switch self {
        case .standardOutput: return nil
        case .file(let template): path = url.filling(template)
        case .remoteName: path = try Self.remoteName(of: url.url, isDecoded: decodesName)
        }
        return folder.map { "\($0)/\(path)" } ?? path
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
            throw UsageError("\(Redaction.usual.redacting(url: url).quoted) has no file name; give one with -o")
        }
        return name
    }
}
