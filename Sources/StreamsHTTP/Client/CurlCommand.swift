extension HTTPRequest {
    /// Returns a command for a POSIX shell that sends this request with curl. If secrets are revealed, it sends the
    /// same body byte for byte.
    ///
    /// A body in memory is part of the command; a value is encoded by the default coders. A file is read from its path,
    /// and a stream from standard input. A body that is ``HTTPBody/compressed(_:)`` is shown uncompressed, and
    /// compressed by the command gzip or pigz, whose bytes may differ. Fields that the transport adds are not included.
    ///
    /// - Parameter revealingSecrets: Whether secrets are shown: sensitive headers, the credentials of the URL, and the
    ///   values of the usual names of ``Redaction``, in headers, in the query, and in a form or a JSON document. If
    ///   not, asterisks and marks replace them.
    public func curlCommand(revealingSecrets: Bool = false) -> String {
        var url = target
        if !query.isEmpty { url.insertQuery(query.percentEncoded) }
        return CurlCommand(
            method: method, url: url, headers: headers, body: (try? body.encoded(by: CoderRegistry())) ?? body,
            redaction: revealingSecrets ? nil : .usual
        ).text
    }
}

extension HTTPClient {
    /// Returns a command for a POSIX shell that sends the request as this client does, including defaults; see
    /// ``HTTPRequest/curlCommand(revealingSecrets:)``. ``Configuration/redaction`` has the names of the hidden values.
    ///
    /// - Throws: ``HTTPError`` if the request would be rejected.
    public func curlCommand(for request: HTTPRequest, revealingSecrets: Bool = false) throws(HTTPError) -> String {
        let request = try RequestPlan(request, client: self, bodyUse: .collect).request.get()
        return CurlCommand(
            method: request.method, url: request.url.absoluteString, headers: request.headers, body: request.body,
            redaction: revealingSecrets ? nil : configuration.redaction
        ).text
    }
}

/// A command line of curl.
private struct CurlCommand {
    private let method: HTTPMethod
    private let url: String
    private let headers: HTTPHeaders
    private let body: HTTPBody
    private let content: BodyContent

    /// - Parameter redaction: The names of the values to hide; `nil` hides nothing.
    init(method: HTTPMethod, url: String, headers: HTTPHeaders, body: HTTPBody, redaction: Redaction?) {
        self.method = method
        self.url = redaction?.redacting(url: url) ?? url
        self.headers = redaction?.redacting(headers) ?? headers
        self.body = body
        let contentType = headers["Content-Type"] ?? body.contentType
        content = redaction.map { body.content.redacted(by: $0, contentType: contentType) } ?? body.content
    }

    var text: String {
        var words = ["curl"]
        // In a URL, curl expands brackets and braces and removes dot segments.
        if url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
        if url.contains("/.") { words.append("--path-as-is") }
        switch method {
        case .head: words.append("--head")
        case .get where body.isEmpty: break
        default: words += ["--request", method.rawValue.shellQuoted]
        }
        words += ["--url", url.shellQuoted]
        for line in headerLines { words += ["--header", line.shellWord] }
        let (arguments, commands) = content.curlInput
        let curl = (words + arguments).joined(separator: " ")
        return commands.isEmpty ? curl : "{ \(commands.joined(separator: "; ")); } | \(curl)"
    }

    private var headerLines: [FieldText] {
        var lines = headers.map { field -> FieldText in
            // For curl, `Name:` removes a field and `Name;` sends it with an empty value.
            guard !field.value.isEmpty else { return "\(field.name);" }
            var line = FieldText(field.name)
            line.append(": ", field.text)
            return line
        }
        if let encoding = body.contentEncoding, !headers.contains("Content-Encoding") {
            lines.append("Content-Encoding: \(encoding)")
        }
        guard !body.isEmpty, !headers.contains("Content-Type") else { return lines }
        // Without a `Content-Type`, curl declares the body as a form.
        lines.append(body.contentType.map { "Content-Type: \($0)" } ?? "Content-Type:")
        return lines
    }
}

extension BodyContent {
    /// Returns the content with the secrets of its parts in memory replaced by as many bytes.
    fileprivate func redacted(by redaction: Redaction, contentType: String?) -> BodyContent {
        switch self {
        case .data(let data): .data(redaction.redacting(body: data, contentType: contentType))
        case .sequence(let bodies):
            // The parts of a form in memory are one body; only files and streams are bodies of their own.
            .sequence(
                bodies.map { body in
                    let content = body.content.redacted(by: redaction, contentType: contentType)
                    return HTTPBody(content, contentType: nil)
                })
        case .compressed(let content, let compression, _):
            .compressed(content.redacted(by: redaction, contentType: contentType), compression, result: nil)
        case .empty, .file, .stream, .encoding: self
        }
    }

    /// The arguments of curl for the body, and the shell commands whose output is curl's standard input, if any.
    fileprivate var curlInput: (arguments: [String], commands: [String]) {
        let standardInput = ["--data-binary", "@-"]
        switch self {
        case .empty: return ([], [])
        case .data(let data):
            // An argument cannot contain NUL or invalid UTF-8. Such data is written in octal by `printf`.
            guard let text = String(validating: data, as: UTF8.self), !text.utf8.contains(0) else {
                return (standardInput, shellCommands)
            }
            return (["--data-raw", text.shellQuoted], [])
        case .file(let path): return (["--data-binary", "@\(path)".shellQuoted], [])
        case .stream, .encoding: return (standardInput, [])
        case .sequence, .compressed: return (standardInput, shellCommands)
        }
    }

    /// The shell commands that write the body.
    private var shellCommands: [String] {
        switch self {
        case .empty: []
        case .data(let data): ["printf \(data.printfFormat)"]
        case .file(let path): ["cat -- \(path.shellQuoted)"]
        case .stream, .encoding: ["cat"]
        case .sequence(let bodies): bodies.flatMap(\.content.shellCommands)
        case .compressed(let content, let compression, _):
            ["{ \(content.shellCommands.joined(separator: "; ")); } | \(compression.shellCommand)"]
        }
    }
}

extension HTTPBody.Compression {
    /// The command that compresses standard input: of gzip, or for the format that it does not write, of pigz.
    fileprivate var shellCommand: String {
        let level = level.map { " -\($0)" } ?? ""
        return name == Self.gzip.name ? "gzip -cn\(level)" : "pigz -cz\(level)"
    }
}

extension Data {
    /// The bytes as a quoted format of `printf` that does not look like an option.
    fileprivate var printfFormat: String {
        let text = map(\.printfEscaped).joined()
        return text.hasPrefix("-") ? "'\\055\(text.dropFirst())'" : "'\(text)'"
    }
}

extension FieldText {
    /// The bytes as one word of a POSIX shell. Bytes that the command, which is a text, cannot contain are written in
    /// octal by `printf`.
    fileprivate var shellWord: String {
        isLatin1 ? "\"$(printf \(Data(bytes).printfFormat))\"" : string.shellQuoted
    }
}

extension UInt8 {
    /// The byte, escaped for a single-quoted format of `printf`.
    fileprivate var printfEscaped: String {
        switch self {
        case 0x20...0x7E where !"\\%'".utf8.contains(self): String(Unicode.Scalar(self))
        default:
            "\\" + String(repeating: "0", count: self < 8 ? 2 : self < 64 ? 1 : 0) + String(self, radix: 8)
        }
    }
}

extension String {
    /// Adds to a URL's query, before its fragment.
    fileprivate mutating func insertQuery(_ query: String) {
        let end = utf8.firstIndex(of: UInt8(ascii: "#")) ?? endIndex
        insert(contentsOf: (utf8[..<end].contains(UInt8(ascii: "?")) ? "&" : "?") + query, at: end)
    }

    /// This text as one word of a POSIX shell (XCU, section 2.2.2).
    fileprivate var shellQuoted: String {
        let needsNone = !isEmpty && utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._/:=@+,".utf8.contains($0) }
        guard !needsNone else { return self }
        // Compares bytes: a quote followed by a combining mark is another character in Swift, but still a quote in the
        // shell.
        let quote = UInt8(ascii: "'")
        let bytes = utf8.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] }
        return "'\(String(decoding: bytes, as: UTF8.self))'"
    }
}
