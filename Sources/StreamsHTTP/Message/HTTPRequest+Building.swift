// Changed copies, for chains. What each does stands at its mutating twin, which does it.

extension HTTPRequest {
    /// This request with another scheme.
    public func settingScheme(_ scheme: HTTPScheme) -> HTTPRequest {
        changed { $0.setScheme(scheme) }
    }

    /// This request to another host; see ``setHost(_:port:)``.
    public func settingHost(_ host: String, port: Int? = nil) -> HTTPRequest {
        changed { $0.setHost(host, port: port) }
    }

    /// This request with another path; see ``setPath(_:)``.
    public func settingPath(_ path: String) -> HTTPRequest {
        changed { $0.setPath(path) }
    }

    /// This request with a path of segments, each of which is percent-encoded.
    public func settingPathComponents(_ components: some Sequence<String>) -> HTTPRequest {
        changed { $0.setPathComponents(components) }
    }

    /// This request with another method.
    public func settingMethod(_ method: HTTPMethod) -> HTTPRequest {
        changed { $0.setMethod(method) }
    }

    /// This request with one more query parameter; a name may repeat.
    public func addingQueryItem(_ name: String, _ value: String?) -> HTTPRequest {
        changed { $0.addQueryItem(name, value) }
    }

    /// This request with more query parameters; names may repeat.
    public func addingQueryItems(_ items: HTTPQuery) -> HTTPRequest {
        changed { $0.addQueryItems(items) }
    }

    /// This request with another value of a query parameter that it has; see ``replaceQueryItem(_:with:)``.
    public func replacingQueryItem(_ name: String, with value: String?) -> HTTPRequest {
        changed { $0.replaceQueryItem(name, with: value) }
    }

    /// This request with one query parameter of that name.
    public func settingQueryItem(_ name: String, _ value: String?) -> HTTPRequest {
        changed { $0.setQueryItem(name, value) }
    }

    /// This request without the query parameters of that name.
    public func removingQueryItem(_ name: String) -> HTTPRequest {
        changed { $0.removeQueryItem(name) }
    }

    /// This request with one value under a header's name.
    public func settingHeader(_ name: String, _ value: String, sensitive: Bool = false) -> HTTPRequest {
        changed { $0.setHeader(name, value, sensitive: sensitive) }
    }

    /// This request with one more header field.
    public func addingHeader(_ name: String, _ value: String, sensitive: Bool = false) -> HTTPRequest {
        changed { $0.addHeader(name, value, sensitive: sensitive) }
    }

    /// This request with the fields of some headers in place of its own of those names.
    public func settingHeaders(_ headers: HTTPHeaders) -> HTTPRequest {
        changed { $0.setHeaders(headers) }
    }

    /// This request with more header fields.
    public func addingHeaders(_ headers: HTTPHeaders) -> HTTPRequest {
        changed { $0.addHeaders(headers) }
    }

    /// This request without the fields of a header's name.
    public func removingHeader(_ name: String) -> HTTPRequest {
        changed { $0.removeHeader(name) }
    }

    /// This request with a token as its authorization; see ``setBearerToken(_:)``.
    public func settingBearerToken(_ token: String) -> HTTPRequest {
        changed { $0.setBearerToken(token) }
    }

    /// This request with a name and a password as its authorization; see ``setBasicCredentials(user:password:)``.
    public func settingBasicCredentials(user: String, password: String) -> HTTPRequest {
        changed { $0.setBasicCredentials(user: user, password: password) }
    }

    /// This request with another body.
    public func settingBody(_ body: HTTPBody) -> HTTPRequest {
        changed { $0.setBody(body) }
    }

    /// This request with a value as JSON for its body.
    ///
    /// - Throws: What the encoder throws.
    public func settingJSONBody(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws -> HTTPRequest {
        try changed { try $0.setJSONBody(value, encoder: encoder) }
    }

    /// This request with a form for its body.
    public func settingFormBody(_ fields: HTTPQuery) -> HTTPRequest {
        changed { $0.setFormBody(fields) }
    }

    /// This request with a form of a value's fields for its body.
    ///
    /// - Throws: What the encoder throws.
    public func settingFormBody(
        encoding value: some Encodable, encoder: FormEncoder = FormEncoder()
    ) throws -> HTTPRequest {
        try changed { try $0.setFormBody(encoding: value, encoder: encoder) }
    }

    /// This request with a form in parts for its body.
    ///
    /// - Throws: ``MultipartError``.
    public func settingMultipartBody(
        _ form: MultipartForm, boundary: String? = nil
    ) throws(MultipartError) -> HTTPRequest {
        try changed { request throws(MultipartError) in try request.setMultipartBody(form, boundary: boundary) }
    }

    /// This request made with or without the client's authorization.
    public func requiringAuthorization(_ isRequired: Bool = true) -> HTTPRequest {
        changed { $0.requireAuthorization(isRequired) }
    }

    /// This request with its options changed.
    public func settingOptions(_ change: (inout RequestOptions) -> Void) -> HTTPRequest {
        changed { $0.setOptions(change) }
    }

    private func changed<Failure: Error>(
        _ change: (inout HTTPRequest) throws(Failure) -> Void
    ) throws(Failure) -> HTTPRequest {
        var copy = self
        try change(&copy)
        return copy
    }
}
