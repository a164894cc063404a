import StreamsHTTP

/// One request as the command line describes it.
struct RequestArguments {
    /// The method; `nil` if it follows from the other options.
    private(set) var method: HTTPMethod?
    var url = ""
    var headers = HTTPHeaders()
    /// The names of headers that carry secrets, besides those that always do.
    var sensitiveNames: [String] = []
    var credentials: Credentials?
    var body: BodyArguments?
    /// Whether the data is added to the URL's query instead of being sent as the body.
    var sendsDataInQuery = false
    /// Whether the default method is HEAD.
    var asksForHead = false
    /// The path of the file that receives the body instead of standard output.
    var outputPath: String?
    /// Whether the heads of responses are written before the body.
    var includesHeads = false
    /// Whether the body of a response with status 400 or above is not written.
    var omitsErrorBodies = false
    var writeOut: WriteOutFormat?
    var retries = 0
    var timeouts = RequestOptions.Timeouts()
    var maxBytes: Int?
    var maxRedirects = 10
    var connection = ConnectionOptions()
    var certificate = CertificateArguments()
    var progress = ProgressMode.auto
    var printsEvents = false
    var isVerbose = false
    /// Whether neither progress nor errors are shown.
    var isSilent = false
    /// Whether errors are shown even so.
    var showsErrors = false
    /// The feed that the request is for.
    var feed = FeedArguments()
    /// The downloads that the request is for.
    var download = DownloadArguments()
}

/// The condition for progress to be shown.
enum ProgressMode: String, CaseIterable {
    /// If standard error is a terminal, and the body is not written to a terminal.
    case auto
    case always
    case never
}

extension RequestArguments {
    /// Takes the arguments that are not options: `[METHOD] URL`.
    mutating func take(_ operands: [String]) throws(UsageError) {
        switch operands.count {
        case 0:
            throw UsageError("a URL is missing")
        case 1:
            url = operands[0]
        case 2:
            try setMethod(operands[0])
            url = operands[1]
        default:
            throw UsageError("\(operands[2].quoted) is one argument too many after [METHOD] URL")
        }
    }

    mutating func setMethod(_ text: String) throws(UsageError) {
        let method = try Self.method(text)
        guard self.method == nil || self.method == method else { throw UsageError("a request has one method") }
        self.method = method
    }

    /// Checks the options that depend on each other.
    mutating func complete() throws(UsageError) {
        try feed.check()
        try checkDownload()
        try markSensitiveHeaders()
        connection.clientCertificate = try certificate.certificate()
        if asksForHead {
            guard method == nil || method == .head else { throw UsageError("-I sends HEAD and no other method") }
            includesHeads = true
        }
        guard sendsDataInQuery else { return }
        switch body {
        case .data, nil: break
        default: throw UsageError("-G sends the data of -d and --data-urlencode, and no other body")
        }
    }

    /// Marks the headers that `--sensitive` names. A name without a header is probably a mistake.
    private mutating func markSensitiveHeaders() throws(UsageError) {
        if let missing = sensitiveNames.first(where: { !headers.contains($0) }) {
            throw UsageError("--sensitive \(missing.quoted) names no header that -H gives")
        }
        let names = Set(sensitiveNames.map { $0.lowercased() })
        headers = HTTPHeaders(
            headers.map { field in
                let isSensitive = field.isSensitive || names.contains(field.name.lowercased())
                return HTTPHeaders.Field(name: field.name, value: field.value, isSensitive: isSensitive)
            })
    }

    /// The names of values that are not shown: the usual ones, and those of `--sensitive`.
    var redaction: Redaction {
        var redaction = Redaction()
        redaction.names.formUnion(sensitiveNames)
        return redaction
    }

    private static func method(_ text: String) throws(UsageError) -> HTTPMethod {
        guard text.isToken else { throw UsageError("\(text.quoted) is no method") }
        let standard: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options, .trace]
        // Methods are case-sensitive (RFC 9110, section 9.1), so a lower-case one is a mistake.
        if let meant = standard.first(where: { $0.rawValue == text.uppercased() && $0.rawValue != text }) {
            throw UsageError("\(text.quoted) is no method; did you mean \(meant)?")
        }
        return HTTPMethod(rawValue: text)
    }
}

extension String {
    /// This text in quotes, for messages.
    var quoted: String { "'\(self)'" }

    /// Whether this is a token: a legal name of a method or a header (RFC 9110, section 5.6.2).
    var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default:
                    "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
