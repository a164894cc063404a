import StreamsHTTP

extension RequestArguments {
    /// Returns the request. The files of its body exist and can be opened.
    func makeRequest() throws(Failure) -> HTTPRequest {
        var request = HTTPRequest(method ?? defaultMethod, try requestURL(), headers: headers.fields)
        if let body, !sendsDataInQuery { request.body = try body.makeBody() }
        if case .json = body, !request.headers.contains("Accept") { request.headers.add("Accept", "application/json") }
        if let authorization, !request.headers.contains("Authorization") {
            request = request.settingAuthorization(authorization)
        }
        if let requestedRange, !request.headers.contains("Range") { request.headers.add("Range", requestedRange) }
        if let field = timeCondition?.field, !request.headers.contains(field.name) {
            request.headers.add(field.name, field.value)
        }
        request.options.timeouts = timeouts
        // The limit would cut the body of an error that takes longer.
        if rateLimit != nil { request.options.timeouts.errorBody = nil }
        // As by curl, a method that is named is that of each request.
        request.options.redirects = .follow(max: maxRedirects, keepingMethod: method != nil)
        request.options.retry = RetryPolicy(
            maxRetries: retries, backoff: retryDelay.map { Backoff.constant($0) } ?? Backoff())
        // Every body is written, whatever its status; the status decides how the tool exits.
        request.options.validation = .acceptAll
        request.options.maxBodySize = maxBytes
        request.options.keepsDotSegments = keepsDotSegments
        request.options.connection = connection
        request.options.connection.decodesContent = decodesContent
        return request
    }

    private var authorization: FixedAuthorization? {
        if let bearerToken { return .bearer(bearerToken) }
        return credentials.map { .basic(user: $0.user, password: $0.password) }
    }

    /// These arguments with the number of bytes that the output has in place of `-C -`.
    var continuingOutput: RequestArguments {
        guard case .afterOutput = range else { return self }
        var arguments = self
        var status = stat()
        let hasFile = outputPath.map { stat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFREG } ?? false
        arguments.range = .after(hasFile ? Int64(status.st_size) : 0)
        return arguments
    }

    /// The number of bytes after which the response continues; 0 for a whole body.
    var offset: Int64 {
        if case .after(let offset) = range { offset } else { 0 }
    }

    /// The ranges to request; `nil` for the whole body.
    private var requestedRange: String? {
        switch range {
        case .ranges(let ranges): "bytes=\(ranges)"
        case .after(let offset): offset > 0 ? "bytes=\(offset)-" : nil
        case .afterOutput, nil: nil
        }
    }

    /// Whether compressed bodies are requested and decoded. Ranges are those of what is sent, and a coding of one's own
    /// is decoded only with `--compressed`, as by curl.
    private var decodesContent: Bool {
        let choosesCoding = (headers.fields.map(\.name) + headers.removedNames)
            .contains { $0.lowercased() == "accept-encoding" }
        return isCompressed || (range == nil && !choosesCoding)
    }

    /// The method of the request if `--retry` does not repeat it, as curl's would; `nil` otherwise.
    var unrepeatedMethod: HTTPMethod? {
        let method = method ?? defaultMethod
        return retries > 0 && !method.isIdempotent ? method : nil
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
                return url.addingQuery(FieldText(bytes: try pieces.joined()).urlText)
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
