extension StoredResponse {
    /// The statuses whose requirements on caches are known (RFC 9110, section 15), for `must-understand`.
    private static let understoodStatuses: Set<HTTPStatus> = [
        200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 403, 404, 405, 410, 414, 421, 451, 500, 501, 502, 503, 504,
    ]

    /// The statuses that are not stored: those without content of their own, of parts, and of a proxy.
    private static let unstoredStatuses: Set<HTTPStatus> = [206, 304, 407, 412, 416]

    /// Creates the head of a response to store (RFC 9111, section 3). Its body is still to come.
    ///
    /// - Parameters:
    ///   - head: The head, as the transport delivers it.
    ///   - request: The request, with the fields of its sender.
    ///   - identity: The credentials of the request.
    ///   - requestTime: The time at which the request was sent, by the local clock.
    ///   - responseTime: The time at which the head was received, by the local clock.
    /// - Returns: `nil` if the response may not be stored, or if it could never be used.
    init?(
        storing head: HTTPResponse<Void>, for request: TransportRequest, identity: CacheIdentity?, requestTime: Date,
        responseTime: Date
    ) {
        let control = CacheControl(response: head.headers)
        guard Self.allowsStoring(request), !head.status.isInformational, !Self.unstoredStatuses.contains(head.status),
            Self.allowsStoring(control, head.status), head.headers.firstInvalidName == nil,
            let names = head.headers.selectingNames
        else { return nil }
        self.init(
            status: head.status, headers: head.headers.removingUnstoredFields(control), version: head.version,
            reasonText: head.reasonText, requestTime: requestTime, responseTime: responseTime,
            selectingFields: names.map { SelectingField($0, in: request.headers) }, identity: identity,
            hasQuery: request.lazyURL.hasQuery,
            isDecoded: head.receivedHeaders.contains("Content-Encoding") && !head.headers.contains("Content-Encoding"))
        guard isUseful(to: request), request.method == .get || isRepresentation(ofPosted: request) else {
            return nil
        }
    }

    /// Returns whether the response to a request may be stored, as far as the request decides.
    static func allowsStoring(_ request: TransportRequest) -> Bool {
        guard request.method == .get && request.body.isEmpty || request.method == .post,
            request.cache.mode != .unstored, !request.isUpgrade, !request.headers.contains("Range")
        else { return false }
        return !CacheControl(request: request.headers).isNoStore
    }

    /// Returns whether a response with these directives and this status may be stored.
    static func allowsStoring(_ control: CacheControl, _ status: HTTPStatus) -> Bool {
        // A cache that knows the status obeys `must-understand` in place of `no-store` (RFC 9111, section 5.2.2.3).
        control.mustUnderstand ? understoodStatuses.contains(status) : !control.isNoStore
    }

    /// Returns whether a later request can use the response: while it is fresh, after a validation, or stale.
    private func isUseful(to request: TransportRequest) -> Bool {
        let isCacheable = explicitLifetime != nil || control.isPublic || Self.heuristicStatuses.contains(status)
        guard isCacheable else { return false }
        if !conditionalFields.isEmpty { return true }
        guard !control.isNoCache else { return false }
        if isFresh(at: responseTime) { return true }
        guard !control.mustRevalidate else { return false }
        return [control.staleWhileRevalidate, control.staleIfError, request.cache.staleIfError].contains {
            ($0 ?? .zero) > .zero
        }
    }

    /// Returns whether the response to a POST is a representation of its URL, and is explicitly fresh, so that a GET
    /// may use it (RFC 9110, section 9.3.3).
    private func isRepresentation(ofPosted request: TransportRequest) -> Bool {
        guard request.method == .post, status.isSuccess, explicitLifetime != nil,
            let location = headers.unanimousValue(for: "Content-Location"),
            let target = try? URLResolver(baseURL: request.url).target(ofLocation: location.urlText)
        else { return false }
        return CacheKey(url: target.url, connection: request.connection)
            == CacheKey(url: request.lazyURL, connection: request.connection)
    }
}

extension LazyURL {
    /// Whether the URL has a query.
    fileprivate var hasQuery: Bool { pathAndQuery.utf8.contains(UInt8(ascii: "?")) }
}

extension HTTPHeaders {
    /// The fields that belong to one exchange (RFC 9111, section 3.1; RFC 9110, section 7.6.1), and those that set a
    /// cookie: it would be set again by each use of the response, also after the server has removed it.
    private static let unstoredNames: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "set-cookie", "set-cookie2", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Returns the fields to store, in their order.
    func removingUnstoredFields(_ control: CacheControl) -> HTTPHeaders {
        let names = Self.unstoredNames.union(listElements(of: "Connection").map { $0.lowercased() })
            .union(control.noCacheFields)
        return HTTPHeaders(filter { !names.contains($0.name.lowercased()) })
    }
}
