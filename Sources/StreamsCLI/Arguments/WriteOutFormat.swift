import StreamsHTTP

/// The format of `-w`: text with variables, as in curl.
struct WriteOutFormat {
    enum Piece: Equatable {
        case text(FieldText)
        case variable(WriteOutVariable)
        /// The first value of a header field of the response.
        case header(name: String)
        /// The following pieces go to standard error.
        case standardError
        /// The following pieces go to standard output.
        case standardOutput
        /// The following pieces are only written if the request failed.
        case onError
    }

    private(set) var pieces: [Piece] = []
    /// The names of variables that do not exist. They stay in the output as they are.
    private(set) var unknownNames: [String] = []

    /// Reads a format.
    ///
    /// - Parameter argument: The format, or `@FILE` or `@-` for a format in a file or in standard input.
    init(argument: FieldText) throws(UsageError) {
        let source = try ContentSource(argument: argument)
        do throws(SystemError) {
            self.init(FieldText(bytes: try source.read()))
        } catch {
            throw UsageError(error.description)
        }
    }

    private init(_ text: FieldText) {
        var rest = text.string[...]
        var literal = ""
        while let character = rest.popFirst() {
            switch character {
            case "\\":
                literal += Self.escape(rest.popFirst())
            case "%" where rest.first == "%":
                literal.append(rest.removeFirst())
            case "%":
                guard let (piece, end) = readVariable(rest, of: text) else {
                    literal.append(character)
                    continue
                }
                pieces += [.text(FieldText(literal[...], of: text)), piece]
                literal = ""
                rest = rest[end...]
            default:
                literal.append(character)
            }
        }
        pieces.append(.text(FieldText(literal[...], of: text)))
    }

    private static func escape(_ character: Character?) -> String {
        switch character {
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        case let other?: "\\\(other)"
        case nil: "\\"
        }
    }

    /// Returns the piece after a percent sign, and its end; `nil` if there is none.
    private mutating func readVariable(_ rest: Substring, of text: FieldText) -> (Piece, Substring.Index)? {
        let prefix = rest.hasPrefix("header{") ? "header{" : "{"
        guard rest.hasPrefix(prefix) else { return nil }
        let start = rest.index(rest.startIndex, offsetBy: prefix.count)
        guard let end = rest[start...].firstIndex(of: "}") else { return nil }
        let name = String(rest[start..<end])
        return (prefix == "{" ? variable(name, of: text) : .header(name: name), rest.index(after: end))
    }

    private mutating func variable(_ name: String, of text: FieldText) -> Piece {
        switch name {
        case "stderr": return .standardError
        case "stdout": return .standardOutput
        case "onerror": return .onError
        default: break
        }
        if let variable = WriteOutVariable(rawValue: name) { return .variable(variable) }
        unknownNames.append(name)
        return .text(FieldText("%{\(name)}"[...], of: text))
    }
}

/// A variable of `-w`, by curl's name.
enum WriteOutVariable: String, CaseIterable {
    case cacheStatus = "cache_status"
    case contentType = "content_type"
    case errorMessage = "errormsg"
    case exitCode = "exitcode"
    case filename = "filename_effective"
    case headerJSON = "header_json"
    case httpCode = "http_code"
    case httpVersion = "http_version"
    case json
    case method
    case connections = "num_connects"
    case headers = "num_headers"
    case redirects = "num_redirects"
    case retries = "num_retries"
    case redirectURL = "redirect_url"
    case remoteAddress = "remote_ip"
    case remotePort = "remote_port"
    case responseCode = "response_code"
    case scheme
    case downloadSize = "size_download"
    case headerSize = "size_header"
    case requestSize = "size_request"
    case uploadSize = "size_upload"
    case downloadSpeed = "speed_download"
    case uploadSpeed = "speed_upload"
    case handshakeTime = "time_appconnect"
    case connectTime = "time_connect"
    case lookupTime = "time_namelookup"
    case pretransferTime = "time_pretransfer"
    case redirectTime = "time_redirect"
    case firstByteTime = "time_starttransfer"
    case totalTime = "time_total"
    case url
    case effectiveURL = "url_effective"
}
