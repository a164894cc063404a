// Functions that return changed copies, for chaining. To change a request in place, assign to its properties.

extension HTTPRequest {
    /// Returns this request with another scheme.
    public func settingScheme(_ scheme: Scheme) -> HTTPRequest {
        changed { $0.target = URLReference(target).replacing(scheme: scheme.rawValue) }
    }

    /// Returns this request with another host and port. A target without a scheme becomes https.
    ///
    /// - Parameters:
    ///   - host: The name or address, which a port may follow. A request with a malformed host fails with
    ///     ``HTTPError/InvalidRequest/malformedURL(_:)`` before anything is sent.
    ///   - port: The port; the scheme's default port if `nil`.
    public func settingHost(_ host: String, port: Int? = nil) -> HTTPRequest {
        changed { $0.target = URLReference(target).replacing(host: host, port: port) }
    }

    /// Returns this request with another path.
    ///
    /// - Parameter path: The percent-encoded path. `?` and `#`, which would end it, are encoded. For segments that come
    ///   from outside, use `HTTPRequest.path(components:)`.
    public func settingPath(_ path: String) -> HTTPRequest {
        changed { request in
            let path = path.percentEncoded { "?#".utf8.contains($0) }
            request.target = URLReference(target).replacing(path: path)
        }
    }

    /// Returns this request with another method.
    public func settingMethod(_ method: HTTPMethod) -> HTTPRequest {
        changed { $0.method = method }
    }

    /// Returns this request with one more query parameter; a name may repeat. If the value is `nil`, the name is added
    /// alone.
    public func addingQueryItem(_ name: String, _ value: String?) -> HTTPRequest {
        changed { $0.query.add(name, value) }
    }

    /// Returns this request with more query parameters; names may repeat.
    public func addingQueryItems(_ items: HTTPQuery) -> HTTPRequest {
        changed { $0.query.append(contentsOf: items) }
    }

    /// Returns this request with every query parameter of that name replaced by one, at the position of the first. If
    /// there is none, nothing changes. Parameters in the target itself are not replaced.
    public func replacingQueryItem(_ name: String, with value: String?) -> HTTPRequest {
        changed { $0.query.replace(name, with: value) }
    }

    /// Returns this request with a single query parameter of that name. Those in the target itself are removed, however
    /// their names are encoded.
    public func settingQueryItem(_ name: String, _ value: String?) -> HTTPRequest {
        changed { request in
            request.target = URLReference(target).removingQueryItems(named: name)
            request.query.set(name, value)
        }
    }

    /// Returns this request without the query parameters of that name, those in the target included.
    public func removingQueryItem(_ name: String) -> HTTPRequest {
        changed { request in
            request.target = URLReference(target).removingQueryItems(named: name)
            request.query.remove(name)
        }
    }

    /// Returns this request with a single header field of that name.
    public func settingHeader(_ name: String, _ value: String, isSensitive: Bool = false) -> HTTPRequest {
        changed { $0.headers.set(name, value, isSensitive: isSensitive) }
    }

    /// Returns this request with one more header field. Fields with the same name are kept.
    public func addingHeader(_ name: String, _ value: String, isSensitive: Bool = false) -> HTTPRequest {
        changed { $0.headers.add(name, value, isSensitive: isSensitive) }
    }

    /// Returns this request with header fields that replace its own of the same names.
    public func settingHeaders(_ headers: HTTPHeaders) -> HTTPRequest {
        changed { $0.headers = headers.merging(defaults: $0.headers) }
    }

    /// Returns this request with more header fields. Fields with the same names are kept.
    public func addingHeaders(_ headers: HTTPHeaders) -> HTTPRequest {
        changed { $0.headers.append(contentsOf: headers) }
    }

    /// Returns this request without the header fields of that name.
    public func removingHeader(_ name: String) -> HTTPRequest {
        changed { $0.headers.remove(name) }
    }

    /// Returns this request with another body.
    ///
    /// ```swift
    /// let request = HTTPRequest(.post, "/users").settingBody(.json(user))
    /// ```
    public func settingBody(_ body: HTTPBody) -> HTTPRequest {
        changed { $0.body = body }
    }

    /// Returns this request with the client's authorization, in place of credentials of its own, or without it; see
    /// ``RequestOptions/requiresAuthorization``.
    public func requiringAuthorization(_ isRequired: Bool = true) -> HTTPRequest {
        changed { $0.options.requiresAuthorization = isRequired }
    }

    /// Returns this request with its options changed.
    public func settingOptions(_ change: (inout RequestOptions) -> Void) -> HTTPRequest {
        changed { change(&$0.options) }
    }

    private func changed(_ change: (inout HTTPRequest) -> Void) -> HTTPRequest {
        var copy = self
        change(&copy)
        return copy
    }
}
