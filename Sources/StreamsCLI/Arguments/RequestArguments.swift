import StreamsHTTP

/// One request as the command line describes it.
struct RequestArguments {
    /// `nil` where it follows from the body.
    var method: HTTPMethod?
    var url = ""
    var headers = HTTPHeaders()
    /// The names of headers that carry secrets, besides those that always do.
    var sensitiveNames: [String] = []
    var body: BodyArgument?
    /// Where the body goes instead of standard output.
    var outputPath: String?
    var retries = 0
    var timeouts = Timeouts()
    var maxBytes: Int?
    var maxRedirects = 10
    var connection = ConnectionOptions()
    var progress = ProgressMode.auto
    var printsEvents = false
    var isVerbose = false
}

/// When progress is shown.
enum ProgressMode: String, CaseIterable {
    /// Where somebody watches: standard error is a terminal that the body does not go to as well.
    case auto
    case always
    case never
}

extension RequestArguments {
    /// Takes what is no option: `[METHOD] URL`.
    mutating func take(_ operands: [String]) throws(UsageError) {
        switch operands.count {
        case 0:
            throw UsageError("a URL is missing")
        case 1:
            url = operands[0]
        case 2:
            method = try Self.method(operands[0])
            url = operands[1]
        default:
            throw UsageError("\(operands[2].quoted) is one argument too many after [METHOD] URL")
        }
    }

    /// Marks the headers that were said to carry secrets. A name without a header is more likely a slip than a wish.
    mutating func markSensitiveHeaders() throws(UsageError) {
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

    private static func method(_ text: String) throws(UsageError) -> HTTPMethod {
        guard text.isToken else { throw UsageError("\(text.quoted) is no method") }
        let standard: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options, .trace]
        // Methods are case-sensitive (RFC 9110, section 9.1), and nobody means these in small letters.
        if let meant = standard.first(where: { $0.rawValue == text.uppercased() && $0.rawValue != text }) {
            throw UsageError("\(text.quoted) is no method; did you mean \(meant)?")
        }
        return HTTPMethod(rawValue: text)
    }

    /// The request, with a body that has been opened.
    func request(body: HTTPBody) -> HTTPRequest {
        let method = method ?? (self.body == nil ? .get : .post)
        var request = HTTPRequest(method, url, headers: headers, body: body)
        if self.body?.isJSON == true, !headers.contains("Accept") { request.headers.add("Accept", "application/json") }
        request.options.timeouts = timeouts
        request.options.redirects = .follow(max: maxRedirects)
        request.options.retry = RetryPolicy(maxRetries: retries)
        // Every body is written, whatever its status; the status decides how the tool exits.
        request.options.validation = ResponseValidation.none
        request.options.maxBodySize = maxBytes
        request.options.connection = connection
        return request
    }
}

extension String {
    /// This text as a message shows what somebody typed.
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
