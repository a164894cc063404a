import StreamsHTTP

extension RequestArguments {
    /// Returns the request. The files of its body exist and can be opened.
    func makeRequest() throws(Failure) -> HTTPRequest {
        var request = HTTPRequest(method ?? defaultMethod, try requestURL(), headers: headers)
        if let body, !sendsDataInQuery { request.body = try body.makeBody() }
        if case .json = body, !headers.contains("Accept") { request.headers.add("Accept", "application/json") }
        if let credentials, !headers.contains("Authorization") {
            request = request.settingAuthorization(.basic(user: credentials.user, password: credentials.password))
        }
        request.options.timeouts = timeouts
        request.options.redirects = .follow(max: maxRedirects)
        request.options.retry = RetryPolicy(maxRetries: retries)
        // Every body is written, whatever its status; the status decides how the tool exits.
        request.options.validation = .acceptAll
        request.options.maxBodySize = maxBytes
        request.options.connection = connection
        return request
    }

    private var defaultMethod: HTTPMethod {
        if asksForHead { return .head }
        if sendsDataInQuery { return .get }
        return switch body {
        case nil: .get
        case .upload: .put
        case .data, .json, .form: .post
        }
    }

    private func requestURL() throws(Failure) -> String {
        switch body {
        case .data(let pieces) where sendsDataInQuery:
            do throws(SystemError) {
                return url.addingQuery(String(decoding: try pieces.joined(), as: UTF8.self))
            } catch {
                throw Failure(reading: error)
            }
        case .upload(.file(let path)):
            return url.addingFilename(path.lastPathComponent)
        default:
            return url
        }
    }
}

extension String {
    /// Returns this URL with more in its query.
    fileprivate func addingQuery(_ query: String) -> String {
        let end = firstIndex(of: "#") ?? endIndex
        return self[..<end] + (self[..<end].contains("?") ? "&" : "?") + query + self[end...]
    }

    /// Returns this URL with a filename if its path ends with a slash or is empty, as with curl.
    fileprivate func addingFilename(_ name: String) -> String {
        let end = firstIndex { $0 == "?" || $0 == "#" } ?? endIndex
        guard let authority = self[..<end].firstRange(of: "://")?.upperBound else { return self }
        let isEmpty = !self[authority..<end].contains("/")
        guard isEmpty || self[..<end].hasSuffix("/") else { return self }
        return self[..<end] + (isEmpty ? "/" : "") + HTTPRequest.path(components: name) + self[end...]
    }
}
