/// The head of a stored response, with everything by which its use is decided.
struct StoredResponse: Hashable, Sendable {
    /// The status.
    let status: HTTPStatus
    /// The fields, without those that belong to the exchange, set a cookie, or need a validation for each use.
    var headers: HTTPHeaders {
        didSet { (control, date) = (CacheControl(response: headers), headers.date(of: "Date")) }
    }
    /// The directives of the response.
    private(set) var control: CacheControl
    /// The time at which the response was generated, by the server's clock; `nil` if it is unknown.
    private(set) var date: Date?
    /// The version of HTTP by which the response was received.
    let version: HTTPVersion
    /// The reason phrase with its bytes.
    let reasonText: FieldText
    /// The time at which the request was sent, by the local clock.
    var requestTime: Date
    /// The time at which the head was received, by the local clock.
    var responseTime: Date
    /// The fields of the request that selected the response, sorted by name; empty without a `Vary`.
    var selectingFields: [SelectingField]
    /// The credentials of the request; `nil` if it had none.
    let identity: CacheIdentity?
    /// Whether the URL has a query, so that a lifetime is not guessed.
    let hasQuery: Bool
    /// Whether the body was decoded, so that its bytes are not those whose ranges the server knows.
    let isDecoded: Bool
    /// The number of bytes of the stored body.
    var bodyLength: Int64
    /// Whether the stored body has been received to its end.
    var isComplete: Bool

    init(
        status: HTTPStatus, headers: HTTPHeaders, version: HTTPVersion, reasonText: FieldText, requestTime: Date,
        responseTime: Date, selectingFields: [SelectingField], identity: CacheIdentity?, hasQuery: Bool,
        isDecoded: Bool, bodyLength: Int64 = 0, isComplete: Bool = false
    ) {
        self.status = status
        self.headers = headers
        control = CacheControl(response: headers)
        date = headers.date(of: "Date")
        self.version = version
        self.reasonText = reasonText
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.selectingFields = selectingFields
        self.identity = identity
        self.hasQuery = hasQuery
        self.isDecoded = isDecoded
        self.bodyLength = bodyLength
        self.isComplete = isComplete
    }
}

// MARK: Age and freshness

extension StoredResponse {
    /// The longest lifetime that is guessed.
    private static let maxHeuristicLifetime = Duration.seconds(7 * 86_400)

    /// The statuses for which a lifetime may be guessed (RFC 9110, section 15.1), without those of partial responses.
    static let heuristicStatuses: Set<HTTPStatus> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Returns the age of the response (RFC 9111, section 4.2.3). A local clock that was set back counts as one that
    /// was advanced by as much, so that no response is fresh for longer than it should be.
    func age(at now: Date) -> Duration {
        ageWhenReceived + Duration.between(responseTime, now).magnitude
    }

    /// The age at the time at which the head was received.
    private var ageWhenReceived: Duration {
        let apparentAge = date.map { Duration.between($0, responseTime) } ?? .zero
        let delay = max(.zero, Duration.between(requestTime, responseTime))
        return max(.zero, apparentAge, headers.age + delay)
    }

    /// The time for which the response is fresh from its generation on (RFC 9111, sections 4.2.1 and 4.2.2); zero if it
    /// is never fresh.
    var freshnessLifetime: Duration {
        explicitLifetime ?? heuristicLifetime ?? .zero
    }

    /// The lifetime that the server determined; `nil` if it determined none.
    var explicitLifetime: Duration? {
        if let age = control.maxAge { return age }
        guard let expiration = headers.expirationDate else { return nil }
        return max(.zero, .between(date ?? responseTime, expiration))
    }

    /// A tenth of the time since the last modification, up to a week; `nil` if none may be guessed.
    private var heuristicLifetime: Duration? {
        guard !hasQuery, Self.heuristicStatuses.contains(status) || control.isPublic,
            let modification = headers.date(of: "Last-Modified")
        else { return nil }
        let time = Duration.between(modification, date ?? responseTime)
        return min(max(.zero, time / 10), Self.maxHeuristicLifetime)
    }

    /// Returns the remaining time for which the response is fresh; zero or less if it is stale.
    func timeToLive(at now: Date) -> Duration { freshnessLifetime - age(at: now) }

    /// Returns whether the response is fresh.
    func isFresh(at now: Date) -> Bool { timeToLive(at: now) > .zero }
}

// MARK: Validation

extension StoredResponse {
    /// The fields of a request that validates the response (RFC 9111, section 4.3.1); empty if it has no validator.
    var conditionalFields: HTTPHeaders {
        var fields = HTTPHeaders()
        if let tag = entityTag { fields.add(HTTPHeaders.Field(name: "If-None-Match", text: tag)) }
        if let text = headers.unanimousValue(for: "Last-Modified"), text.isReturnable, HTTPDate(text.string) != nil {
            fields.add(HTTPHeaders.Field(name: "If-Modified-Since", text: text))
        }
        return fields
    }

    /// The entity tag, if it can be sent back.
    var entityTag: FieldText? {
        headers.unanimousValue(for: "ETag").flatMap { $0.isReturnable ? $0 : nil }
    }

    /// Returns whether the fields of a request select this response (RFC 9111, section 4.1).
    func isSelected(by headers: HTTPHeaders) -> Bool {
        selectingFields.allSatisfy { $0 == SelectingField($0.name, in: headers) }
    }
}

extension Duration {
    /// Returns the time from one date to another, negative if that is earlier, up to ten thousand years.
    static func between(_ start: Date, _ end: Date) -> Duration {
        let limit = 10_000.0 * 365 * 86_400
        let seconds = max(-limit, min(limit, end.timeIntervalSince(start)))
        // The numbers of dates are rounded: three seconds could be a little less, and so be two whole ones.
        return .milliseconds(Int64((seconds * 1000).rounded()))
    }

    /// The absolute value.
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
