/// Where a request goes: an absolute http or https URL, with any credentials taken out of it.
struct RequestTarget: Sendable {
    let url: URL
    /// The `Authorization` that the URL's user information stands for (RFC 7617), if it had any.
    let authorization: String?

    init(
        _ request: HTTPRequest, baseURL: URL?, defaultQuery: HTTPQuery = []
    ) throws(HTTPError.Reason) {
        var request = request
        request.addDefaultQuery(defaultQuery)
        let url = try Self.resolve(request, against: baseURL)
        try self.init(url)
    }

    /// Checks a URL and takes its credentials out.
    init(_ url: URL) throws(HTTPError.Reason) {
        guard let scheme = url.scheme?.lowercased() else {
            throw .invalidRequest(.malformedURL(url.absoluteString.redactedTarget))
        }
        guard scheme == "http" || scheme == "https" else { throw .invalidRequest(.unsupportedScheme(scheme)) }
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

    private static func resolve(_ request: HTTPRequest, against baseURL: URL?) throws(HTTPError.Reason) -> URL {
        let malformed = HTTPError.Reason.invalidRequest(.malformedURL(request.target.redactedTarget))
        guard request.target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw malformed }
        var target = request.target
        if !request.query.isEmpty { target.insertQuery(request.query.percentEncodedQuery) }
        guard !target.isEmpty || baseURL != nil, var url = target.isEmpty ? baseURL : URL(string: target) else {
            throw malformed
        }
        if url.scheme == nil, let baseURL {
            guard let joined = baseURL.appending(target: target) else { throw malformed }
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
        guard let sign = lastIndex(of: "@") else { return self }
        if let url = URL(string: self), url.scheme == nil || url.host() != nil { return url.redactedString }
        // What stands before the last at sign may be credentials, unless it is a path.
        guard !hasPrefix("/") || hasPrefix("//") else { return self }
        let start = firstRange(of: "//")?.upperBound ?? startIndex
        return start <= sign ? String(self[..<start] + self[index(after: sign)...]) : self
    }

    /// Adds to a URL's query, before its fragment.
    mutating func insertQuery(_ query: String) {
        let end = firstIndex(of: "#") ?? endIndex
        let separator = self[..<end].contains("?") ? "&" : "?"
        insert(contentsOf: separator + query, at: end)
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

    private var effectivePort: Int? {
        port ?? (scheme?.lowercased() == "https" ? 443 : 80)
    }
}
