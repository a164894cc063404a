// What changes a request in place. Each has a twin in HTTPRequest+Building.swift that returns a changed copy.

extension HTTPRequest {
    /// Replaces the scheme of the target.
    public mutating func setScheme(_ scheme: HTTPScheme) {
        changeTarget { $0.scheme = scheme.rawValue }
    }

    /// Replaces the host of the target, and its port. A target that had no scheme is https from then on.
    ///
    /// - Parameters:
    ///   - host: A name or an address; a port may follow it. What is no host makes the request fail with
    ///     ``HTTPError/InvalidRequest/malformedURL(_:)`` before anything is sent.
    ///   - port: The port; the scheme's own by default.
    public mutating func setHost(_ host: String, port: Int? = nil) {
        changeTarget { parts in
            parts.scheme = parts.scheme ?? HTTPScheme.https.rawValue
            parts.setHost(host, port: port)
        }
    }

    /// Replaces the path of the target.
    ///
    /// - Parameter path: The path, percent-encoded. What would end it, `?` and `#`, is encoded; segments that come from
    ///   outside are joined by ``setPathComponents(_:)``.
    public mutating func setPath(_ path: String) {
        changeTarget { $0.setPath(path) }
    }

    /// Replaces the path of the target by segments, each of which is percent-encoded.
    public mutating func setPathComponents(_ components: some Sequence<String>) {
        setPath("/" + String(pathComponents: components))
    }

    /// Replaces the method.
    public mutating func setMethod(_ method: HTTPMethod) {
        self.method = method
    }

    /// Adds a query parameter; a name may repeat, and one without a value stands alone.
    public mutating func addQueryItem(_ name: String, _ value: String?) {
        query.add(name, value)
    }

    /// Adds query parameters; names may repeat.
    public mutating func addQueryItems(_ items: HTTPQuery) {
        query.append(contentsOf: items)
    }

    /// Replaces every query parameter of that name by one, in the place of the first. Where there is none, and for what
    /// stands in the target itself, it does nothing.
    public mutating func replaceQueryItem(_ name: String, with value: String?) {
        query.replace(name, with: value)
    }

    /// Replaces every query parameter of that name by one, or adds it where there is none.
    public mutating func setQueryItem(_ name: String, _ value: String?) {
        query.set(name, value)
    }

    /// Removes every query parameter of that name.
    public mutating func removeQueryItem(_ name: String) {
        query.remove(name)
    }

    /// Replaces every field of a header's name by one.
    public mutating func setHeader(_ name: String, _ value: String, sensitive: Bool = false) {
        headers.set(name, value, sensitive: sensitive)
    }

    /// Adds a header field; those of that name stay.
    public mutating func addHeader(_ name: String, _ value: String, sensitive: Bool = false) {
        headers.add(name, value, sensitive: sensitive)
    }

    /// Replaces, for every name in some headers, the fields of that name by those in them.
    public mutating func setHeaders(_ headers: HTTPHeaders) {
        self.headers = headers.merging(defaults: self.headers)
    }

    /// Adds header fields; those of their names stay.
    public mutating func addHeaders(_ headers: HTTPHeaders) {
        self.headers.append(contentsOf: headers)
    }

    /// Removes every field of a header's name.
    public mutating func removeHeader(_ name: String) {
        headers.remove(name)
    }

    /// Sends a token as authorization (RFC 6750). It is never shown, and stays behind on the way to another origin.
    public mutating func setBearerToken(_ token: String) {
        headers.set("Authorization", "Bearer \(token)")
    }

    /// Sends a name and a password as authorization (RFC 7617). They are never shown, and stay behind on the way to
    /// another origin.
    public mutating func setBasicCredentials(user: String, password: String) {
        headers.set("Authorization", "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())")
    }

    /// Replaces the body.
    public mutating func setBody(_ body: HTTPBody) {
        self.body = body
    }

    /// Replaces the body by a value as JSON.
    ///
    /// - Throws: What the encoder throws.
    public mutating func setJSONBody(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws {
        body = try .json(value, encoder: encoder)
    }

    /// Replaces the body by a form.
    public mutating func setFormBody(_ fields: HTTPQuery) {
        body = .form(fields)
    }

    /// Replaces the body by a form of a value's fields.
    ///
    /// - Throws: What the encoder throws.
    public mutating func setFormBody(encoding value: some Encodable, encoder: FormEncoder = FormEncoder()) throws {
        body = try .form(encoding: value, encoder: encoder)
    }

    /// Replaces the body by a form in parts.
    ///
    /// - Throws: ``MultipartError``.
    public mutating func setMultipartBody(_ form: MultipartForm, boundary: String? = nil) throws(MultipartError) {
        body = try .multipart(form, boundary: boundary)
    }

    /// Has the request made with or without the client's authorization.
    public mutating func requireAuthorization(_ isRequired: Bool = true) {
        options.requiresAuthorization = isRequired
    }

    /// Changes what this request wants otherwise than its client.
    public mutating func setOptions(_ change: (inout RequestOptions) -> Void) {
        change(&options)
    }

    private mutating func changeTarget(_ change: (inout TargetParts) -> Void) {
        var parts = TargetParts(target)
        change(&parts)
        target = parts.target
    }
}
