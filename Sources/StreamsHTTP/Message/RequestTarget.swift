/// Where a request goes: an absolute http or https URL, with any credentials taken out of it.
struct RequestTarget: Sendable {
    let url: URL
    /// The `Authorization` that the URL's user information stands for (RFC 7617), if it had any.
    let authorization: String?

    init(
        _ request: borrowing HTTPRequest, baseURL: URL?, defaultQuery: HTTPQuery = []
    ) throws(HTTPError.Reason) {
        let query = request.query(adding: defaultQuery)
        var target = request.target
        if !query.isEmpty { target.insertQuery(query.percentEncodedQuery) }
        guard let url = Self.plainURL(of: target, baseURL) else {
            self = try RequestTarget(Self.resolve(target, of: request, against: baseURL))
            return
        }
        self = RequestTarget(plain: url)
    }

    /// Takes a URL that needs no check and has no credentials.
    private init(plain url: URL) {
        self.url = url
        authorization = nil
    }

    /// Checks a URL and takes its credentials out.
    init(_ url: URL) throws(HTTPError.Reason) {
        guard PlainURL(url.absoluteString) == nil else {
            self.url = url
            authorization = nil
            return
        }
        guard let scheme = url.scheme?.lowercased() else {
            throw .invalidRequest(.malformedURL(url.absoluteString.redactedTarget))
        }
        guard scheme == "http" || scheme == "https" else {
            // Without a host it may be no scheme at all, but the name or the key before a password.
            guard url.host() != nil || !url.absoluteString.utf8.contains(UInt8(ascii: "@")) else {
                throw .invalidRequest(.malformedURL(url.absoluteString.redactedTarget))
            }
            throw .invalidRequest(.unsupportedScheme(scheme))
        }
        guard let host = url.host(percentEncoded: false), Self.isHost(host), (url.port ?? 0) <= UInt16.max else {
            throw .invalidRequest(.malformedURL(url.redactedString))
        }
        guard url.user != nil || url.password != nil else {
            self.url = url
            authorization = nil
            return
        }
        let credentials = "\(url.user(percentEncoded: false) ?? ""):\(url.password(percentEncoded: false) ?? "")"
        authorization = "Basic \(Data(credentials.utf8).base64EncodedString())"
        guard let plain = url.removingCredentials else { throw .invalidRequest(.malformedURL(url.redactedString)) }
        self.url = plain
    }

    /// The URL of a target that needs no check, on its own or behind the base URL.
    private static func plainURL(of target: String, _ baseURL: URL?) -> URL? {
        if PlainURL(target) != nil { return URL(string: target) }
        return baseURL.flatMap { PlainURL($0.absoluteString) }.flatMap { $0.appending(target) }.flatMap {
            URL(string: $0)
        }
    }

    private static func resolve(
        _ target: String, of request: HTTPRequest, against baseURL: URL?
    ) throws(HTTPError.Reason) -> URL {
        let isLegal = request.target.utf8.allAre { $0 > 0x20 && $0 != 0x7F }
        guard isLegal, var url = target.isEmpty ? baseURL : URL(string: target) else {
            throw .invalidRequest(.malformedURL(request.target.redactedTarget))
        }
        if url.scheme == nil, let baseURL {
            guard let joined = baseURL.appending(target: target) else {
                throw .invalidRequest(.malformedURL(request.target.redactedTarget))
            }
            url = joined
        }
        return url
    }

    private static func isHost(_ host: String) -> Bool {
        !host.isEmpty
            && host.unicodeScalars.allSatisfy { $0.value > 0x20 && !"<>\"{}|\\^`%/?#@".unicodeScalars.contains($0) }
    }
}

extension String {
    /// This target as it may be shown: without credentials, also where it is no URL.
    var redactedTarget: String {
        guard let sign = utf8.lastIndex(of: UInt8(ascii: "@")) else { return self }
        if let url = URL(string: self), url.scheme == nil || url.host() != nil { return url.redactedString }
        // What stands before the last at sign may be credentials, unless it is a path.
        guard utf8.first != UInt8(ascii: "/") || utf8.starts(with: "//".utf8) else { return self }
        return String(self[..<authorityStart] + self[utf8.index(after: sign)...])
    }

    /// Where user information would begin: behind two slashes at the front or after a scheme, else at the front.
    private var authorityStart: Index {
        let scheme = utf8.prefix { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
        var rest = utf8[scheme.endIndex...]
        if !scheme.isEmpty {
            guard rest.popFirst() == UInt8(ascii: ":") else { return startIndex }
        }
        return rest.starts(with: "//".utf8) ? utf8.index(rest.startIndex, offsetBy: 2) : startIndex
    }

    /// Adds to a URL's query, before its fragment.
    mutating func insertQuery(_ query: String) {
        let end = utf8.firstIndex(of: UInt8(ascii: "#")) ?? endIndex
        let separator = utf8[..<end].contains(UInt8(ascii: "?")) ? "&" : "?"
        guard end == endIndex else { return insert(contentsOf: separator + query, at: end) }
        self += separator
        self += query
    }
}

extension URL {
    /// This URL with a relative target's path appended and its query taken over.
    fileprivate func appending(target: String) -> URL? {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true),
            let addition = URLComponents(string: target), addition.host == nil
        else { return nil }
        var path = parts.percentEncodedPath
        if !addition.percentEncodedPath.isEmpty {
            while path.hasSuffix("/") { path.removeLast() }
            if !addition.percentEncodedPath.hasPrefix("/") { path += "/" }
            path += addition.percentEncodedPath
        }
        parts.percentEncodedPath = path
        parts.percentEncodedQuery = addition.percentEncodedQuery ?? parts.percentEncodedQuery
        return parts.url
    }

    /// This URL without user information; `nil` where it cannot be written so.
    var removingCredentials: URL? {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return nil }
        parts.user = nil
        parts.password = nil
        return parts.url
    }

    /// This URL as it may be shown: without credentials.
    var redactedString: String {
        user == nil && password == nil ? absoluteString : removingCredentials?.absoluteString ?? "<hidden>"
    }

    /// Whether two URLs share scheme, host and port (RFC 6454, section 5).
    func hasSameOrigin(as other: URL) -> Bool {
        scheme?.lowercased() == other.scheme?.lowercased() && host?.lowercased() == other.host?.lowercased()
            && effectivePort == other.effectivePort
    }

    /// Scheme, host and port, as a key; the same for two URLs that have the same origin.
    var origin: String {
        "\(scheme?.lowercased() ?? "")://\(host?.lowercased() ?? ""):\(effectivePort.map(String.init) ?? "")"
    }

    private var effectivePort: Int? {
        port ?? (scheme?.lowercased() == "https" ? 443 : 80)
    }
}
