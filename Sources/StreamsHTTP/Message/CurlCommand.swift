extension HTTPRequest {
    /// This request as a command for a POSIX shell that sends it with curl, byte for byte the same body.
    ///
    /// A body in memory is in the command; a file is read from its place; a stream is what the command gets as its
    /// input. Fields that the transport adds are not part of it.
    ///
    /// - Parameter revealingSecrets: Whether sensitive headers and the credentials of the URL are shown. Everything
    ///   else always is, the query and the body included.
    public func curlCommand(revealingSecrets: Bool = false) -> String {
        var url = revealingSecrets ? target : target.redactedTarget
        if !query.isEmpty { url.insertQuery(query.percentEncodedQuery) }
        return CurlCommand(method: method, url: url, headers: headers, body: body, revealingSecrets: revealingSecrets)
            .text
    }
}

extension HTTPClient {
    /// The command for a POSIX shell that sends what this client sends for a request, defaults included; see
    /// ``HTTPRequest/curlCommand(revealingSecrets:)``.
    ///
    /// - Throws: ``HTTPError`` for a request that would be refused.
    public func curlCommand(for request: HTTPRequest, revealingSecrets: Bool = false) throws(HTTPError) -> String {
        let request = try RequestPlan(request, client: self, bodyUse: .collect).request.get()
        return CurlCommand(
            method: request.method, url: request.url.absoluteString, headers: request.headers, body: request.body,
            revealingSecrets: revealingSecrets
        ).text
    }
}

/// What stands on a command line.
private struct CurlCommand {
    let method: HTTPMethod
    let url: String
    let headers: HTTPHeaders
    let body: HTTPBody
    let revealingSecrets: Bool

    var text: String {
        var words = ["curl"]
        // Brackets and braces mean more than themselves to curl, and so do the dots of a path.
        if url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
        if url.contains("/.") { words.append("--path-as-is") }
        switch method {
        case .head: words.append("--head")
        case .get where body.isEmpty: break
        default: words += ["--request", method.rawValue.shellQuoted]
        }
        words += ["--url", url.shellQuoted]
        for line in headerLines { words += ["--header", line.shellQuoted] }
        let data = body.content.curlInput
        switch data {
        case .none: break
        case .argument(let text): words += ["--data-raw", text.shellQuoted]
        case .file(let path): words += ["--data-binary", "@\(path)".shellQuoted]
        case .standardInput, .commands: words += ["--data-binary", "@-"]
        }
        let curl = words.joined(separator: " ")
        guard case .commands(let commands) = data else { return curl }
        return "{ \(commands.joined(separator: "; ")); } | \(curl)"
    }

    private var headerLines: [String] {
        var lines = headers.map { field in
            let value = field.isSensitive && !revealingSecrets ? "<hidden>" : field.value
            // To curl a field without a value is one to leave out, unless a semicolon stands for the colon.
            return value.isEmpty ? "\(field.name);" : "\(field.name): \(value)"
        }
        guard !body.isEmpty, !headers.contains("Content-Type") else { return lines }
        // Without one curl would say that the body is a form.
        lines.append(body.contentType.map { "Content-Type: \($0)" } ?? "Content-Type:")
        return lines
    }
}

extension BodyContent {
    /// How a command gets at a body.
    fileprivate enum CurlInput {
        case none
        case argument(String)
        case file(String)
        case standardInput
        /// What some commands write.
        case commands([String])
    }

    fileprivate var curlInput: CurlInput {
        switch self {
        case .empty: .none
        case .data(let data):
            // An argument can hold no zero, and curl is sent what is no text as octal numbers.
            String(validating: data, as: UTF8.self).flatMap { $0.utf8.contains(0) ? nil : .argument($0) }
                ?? .commands(shellCommands)
        case .file(let path): .file(path)
        case .stream: .standardInput
        case .sequence: .commands(shellCommands)
        case .tapped(let content, _): content.curlInput
        }
    }

    /// Commands that write the body.
    private var shellCommands: [String] {
        switch self {
        case .empty: []
        case .data(let data): ["printf \(data.printfFormat)"]
        case .file(let path): ["cat -- \(path.shellQuoted)"]
        case .stream: ["cat"]
        case .sequence(let bodies): bodies.flatMap(\.content.shellCommands)
        case .tapped(let content, _): content.shellCommands
        }
    }
}

extension Data {
    /// These bytes as a format of `printf`, which must not look like an option.
    fileprivate var printfFormat: String {
        let text = map(\.printfEscaped).joined()
        return text.hasPrefix("-") ? "'\\055\(text.dropFirst())'" : "'\(text)'"
    }
}

extension UInt8 {
    /// This byte in the first argument of `printf`, within single quotes.
    fileprivate var printfEscaped: String {
        switch self {
        case 0x20...0x7E where !"\\%'".utf8.contains(self): String(Unicode.Scalar(self))
        default:
            "\\" + String(repeating: "0", count: self < 8 ? 2 : self < 64 ? 1 : 0) + String(self, radix: 8)
        }
    }
}

extension String {
    /// This text as one word of a POSIX shell (XCU, section 2.2.2).
    fileprivate var shellQuoted: String {
        let needsNone = !isEmpty && utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._/:=@+,".utf8.contains($0) }
        guard !needsNone else { return self }
        // By bytes: with a mark behind it a quote is another letter to Swift, and a quote to the shell.
        let quote = UInt8(ascii: "'")
        let bytes = utf8.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] }
        return "'\(String(decoding: bytes, as: UTF8.self))'"
    }
}
