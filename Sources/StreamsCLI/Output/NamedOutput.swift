import StreamsHTTP

/// A file in a folder that the response names, as by `-J`.
final class NamedOutput: BodyOutput {
    /// The path of the file: at first that for a response which does not name one.
    private(set) var path: String
    private let folder: String?
    private let interruption: Interruption
    private var output: (any BodyOutput)?

    /// - Parameters:
    ///   - fallback: The path of the file if the response does not name one.
    ///   - folder: The folder of a file that the response names; `nil` for the current one.
    ///   - interruption: The signals that end the tool.
    init(fallback: String, folder: String?, _ interruption: Interruption) {
        path = fallback
        self.folder = folder
        self.interruption = interruption
    }

    var filePath: String? { output?.filePath }

    func begin(_ head: HTTPResponse<Void>) throws(SystemError) {
        if let name = head.headers["Content-Disposition"]?.dispositionFilename {
            // A server must not choose a file to be replaced.
            path = folder.map { "\($0)/\(name)" } ?? name
            output = try FileOutput(creating: path, interruption: interruption)
        } else {
            output = try path.openOutput(interruption)
        }
    }

    func write(_ chunk: Data) throws(SystemError) {
        try output?.write(chunk)
    }

    func commit() throws(SystemError) {
        try output?.commit()
    }

    func discard() {
        output?.discard()
    }
}

extension String {
    /// The name of a file that the last component of the filename of a `Content-Disposition` (RFC 6266, section 4.1)
    /// proposes, as curl reads it; `nil` if there is none.
    var dispositionFilename: String? {
        var rest = self[...]
        while let parameter = rest.popParameter() {
            guard parameter.name.lowercased() == "filename" else { continue }
            // Systems differ in their separators, and the server need not know this one's.
            let separators = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
            let parts = parameter.value.utf8.split(omittingEmptySubsequences: false) { separators.contains($0) }
            return parts.last.flatMap { String(Substring($0)).asRemoteFilename }
        }
        return nil
    }
}

extension Substring {
    /// Removes what comes before the next parameter, and that parameter; `nil` if there is none.
    fileprivate mutating func popParameter() -> (name: String, value: String)? {
        self = drop { $0 != ";" }.dropFirst().drop { $0.isWhitespace }
        guard let end = firstIndex(where: { $0 == "=" || $0 == ";" }) else { return nil }
        let name = String(self[..<end]).split(separator: " ").first.map(String.init) ?? ""
        self = self[end...]
        guard first == "=" else { return (name, "") }
        self = dropFirst().drop { $0.isWhitespace }
        guard first == "\"" else {
            var value = prefix { $0 != ";" }
            self = self[value.endIndex...]
            while value.last?.isWhitespace == true { value.removeLast() }
            return (name, String(value))
        }
        removeFirst()
        var value = ""
        while let character = popFirst(), character != "\"" {
            if character == "\\", let escaped = popFirst() { value.append(escaped) } else { value.append(character) }
        }
        return (name, value)
    }
}
