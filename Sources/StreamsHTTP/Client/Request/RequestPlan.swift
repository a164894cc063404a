/// The immutable description of a request: the first request to send, the client that sends it and the policies. All
/// objects that take part in a request share one plan.
final class RequestPlan: Sendable {
    /// The use of a response's body.
    enum BodyUse: Sendable {
        case collect
        case deliver
        /// The response is handed over with its head, and its body is delivered in chunks. The head of a response that
        /// is an error or is followed by another attempt is not delivered.
        case handOver
    }

    /// A function that returns a request which asks for another protocol on its connection.
    typealias Upgrade = (TransportRequest) throws(HTTPError.Reason) -> TransportRequest

    /// The first request, or the error that prevents it.
    let request: Result<TransportRequest, HTTPError>
    let bodyUse: BodyUse
    let options: RequestOptions
    /// Whether the request obtains or renews credentials, and so may not be redirected to another origin outside of the
    /// client's ``credentialScope``.
    let confinesRedirects: Bool
    /// The client, with the transport, the queue and everything else that its requests share.
    private let client: HTTPClient
    /// Whether the client's provider authorizes the request.
    private let isAuthorized: Bool
    /// Whether interceptors take part. The authorization is one of them.
    let isIntercepted: Bool
    /// Whether interceptors or the client's cookies change the request.
    let isAdapted: Bool
    /// The group of identical requests that share one exchange; `nil` if this request does not share.
    let sharing: SharedRequestGroup?
    /// The queue that the request waits in.
    let requestQueue: RequestQueue

    /// Whether the exchanges count towards ``HTTPClient/Limits/maxConcurrentRequestsPerOrigin``.
    private let takesPlace: Bool

    /// The default limit on the body that is collected.
    private static let defaultMaxBodySize = 64 * 1024 * 1024
    /// The default limit on the body of an error.
    static let defaultMaxErrorBodySize = 1024 * 1024

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - client: The client that sends it.
    ///   - bodyUse: The use of the response's body.
    ///   - confinesRedirects: Whether the request obtains or renews credentials.
    ///   - queue: The queue that the request waits in; the client's by default.
    ///   - takesPlace: Whether the exchanges count towards the limit of concurrent requests to an origin.
    ///   - upgrade: Returns the request that asks for another protocol; `nil` for none.
    ///   - isLink: Whether the target is a link that was followed, which may be absolute as that of a redirect.
    init(
        _ request: borrowing HTTPRequest, client: HTTPClient, bodyUse: BodyUse, confinesRedirects: Bool = false,
        queue: RequestQueue? = nil, takesPlace: Bool = true, upgrade: Upgrade? = nil,
        isLink: Bool = false
    ) {
        self.confinesRedirects = confinesRedirects || client.configuration.confinesRedirects
        options = request.options.merging(defaults: client.configuration.options)
        self.client = client
        self.bodyUse = bodyUse
        requestQueue = queue ?? client.requestQueue
        self.takesPlace = takesPlace
        isAuthorized =
            client.hasAuthorizer
            && (options.requiresAuthorization ?? !(confinesRedirects || request.hasCredentials))
        isIntercepted = isAuthorized || client.hasInterceptors
        isAdapted = isIntercepted || client.cookieJar != nil
        let first = Self.transportRequest(
            request, client.configuration, options, bodyUse, isAuthorized: isAuthorized, upgrade, isLink: isLink)
        self.request = first
        sharing =
            if options.sharesInFlight, bodyUse == .collect, case .success(let first) = first {
                SharedRequestGroup(first, options, isAdapted: isAdapted, of: client.sharedRequests)
            } else {
                nil
            }
    }

    /// Creates a plan that fails before anything is sent.
    init(failing error: HTTPError, client: HTTPClient, bodyUse: BodyUse) {
        request = .failure(error.redacted(by: client.configuration.redaction))
        confinesRedirects = false
        options = client.configuration.options
        self.client = client
        self.bodyUse = bodyUse
        requestQueue = client.requestQueue
        takesPlace = false
        isAuthorized = false
        isIntercepted = client.hasInterceptors
        isAdapted = isIntercepted || client.cookieJar != nil
        sharing = nil
    }

    var clock: RequestClock { client.clock }
    var redaction: Redaction { client.configuration.redaction }
    var monitors: [any EventMonitor] { client.configuration.monitors }
    /// The client's interceptors, without the authorization.
    var interceptors: [any Interceptor] { client.configuration.interceptors }
    var hasInterceptors: Bool { client.hasInterceptors }
    var coders: CoderRegistry { client.configuration.coders }
    var credentialScope: CredentialScope { client.configuration.credentialScope }
    /// The budget that bounds retries.
    var retryBudget: RetryPolicy.Budget? { client.configuration.limits.retryBudget }
    /// The tracker of the budget's use; `nil` without a budget, or if the request does not consume any of it.
    var retryTracker: RetryBudgetTracker? { consumesRetries && retryBudget != nil ? client.retryTracker : nil }

    /// Whether the request may be sent again by a policy.
    var consumesRetries: Bool { retriesAttempts || options.hedging.maxHedges > 0 }

    /// Whether the retry policy may follow a failed attempt with another.
    var retriesAttempts: Bool { options.retry.maxRetries > 0 }

    /// Starts an exchange, which the client's cache answers if it can.
    func start(_ request: TransportRequest, delivering receiver: some PolicyReceiver) -> any TransportExchange {
        guard let cache = client.cache else { return startServer(request, delivering: receiver) }
        return startCached(request, cache, delivering: receiver)
    }

    /// Starts an exchange with the server, with hedges if the policy says so.
    func startServer(_ request: TransportRequest, delivering receiver: some PolicyReceiver) -> any TransportExchange {
        let hedging = options.hedging
        guard hedging.applies(to: request) else {
            return startCopy(request, delivering: receiver)
        }
        let exchange = HedgedExchange(request, hedging, plan: self, delivering: receiver)
        exchange.start()
        return exchange
    }

    /// Starts an exchange, as soon as it has the permits that the client's policies require.
    func startCopy(_ request: TransportRequest, delivering receiver: some PolicyReceiver) -> any TransportExchange {
        guard let permits = client.permits else { return client.transport.start(request, delivering: receiver) }
        return permits.start(request, on: client.transport, takesPlace: takesPlace, delivering: receiver)
    }

    /// The client's exchanges that update its cache in the background.
    var backgroundExchanges: BackgroundExchanges { client.backgroundExchanges }

    /// Whether the client has a cache.
    var hasCache: Bool { client.cache != nil }

    /// The store of the client's cookies; `nil` if there is none.
    var cookieJar: CookieJar? { client.cookieJar }

    /// Returns the authorization of one subscription; `nil` if the request has none.
    func makeAuthorization() -> AuthorizationInterceptor? {
        guard isAuthorized else { return nil }
        return client.configuration.authorizer.map { AuthorizationInterceptor($0, client: client) }
    }

    /// The limit on the size of the body; `nil` if there is none.
    var maxBodySize: Int? {
        let limit = options.maxBodySize ?? (bodyUse == .collect ? Self.defaultMaxBodySize : nil)
        return limit.map { max($0, 0) }
    }

    /// The limit on the part of an error's body that is kept.
    var maxErrorBodySize: Int {
        max(options.maxErrorBodySize ?? min(Self.defaultMaxErrorBodySize, maxBodySize ?? .max), 0)
    }

    /// The summary of the first request.
    var summary: HTTPError.RequestSummary {
        switch request {
        case .success(let request): request.summary(redaction)
        case .failure(let error): error.request
        }
    }

    /// The number of bytes of a body delivered in chunks that may be buffered for the subscriber. The transport's
    /// thread and the subscriber's wake each other about once a window: with a quarter of it, a large body took about
    /// twice as long.
    private static let deliveryWindow = 1 << 20
    /// The same for a body that is collected, of which the bytes of each chunk are allowed as it arrives.
    private static let collectionWindow = 256 * 1024

    fileprivate static func transportRequest(
        _ request: HTTPRequest, _ configuration: HTTPClient.Configuration, _ options: RequestOptions,
        _ bodyUse: BodyUse, isAuthorized: Bool, _ upgrade: Upgrade? = nil, isLink: Bool = false
    ) -> Result<TransportRequest, HTTPError> {
        do throws(HTTPError.Reason) {
            // Not by a conditional expression, which would copy the request.
            let target =
                if upgrade == nil {
                    try target(of: request, configuration, options)
                } else {
                    try target(of: request.withHTTPScheme, configuration, options)
                }
            guard target.isRelative || isLink || configuration.allowsAbsoluteTargets else {
                throw .invalidRequest(.absoluteTarget(request.target.withoutUserInformation))
            }
            let dropsCredentials = try dropsCredentials(request, configuration, options, target, isAuthorized)
            let headers = try headers(request, configuration, target, droppingCredentials: dropsCredentials)
            let timeouts = options.timeouts
            var connection = options.connection
            if dropsCredentials, usesClientCertificate(request, options) { connection.clientCertificate = nil }
            var first = TransportRequest(
                method: request.method, url: target.url, headers: headers, body: request.body,
                connection: connection, connectTimeout: timeouts.connect, idleTimeout: timeouts.idle,
                usesBackpressure: bodyUse != .collect, window: bodyUse == .collect ? collectionWindow : deliveryWindow,
                headLimits: options.headLimits, previewName: options.previewName, cache: options.cache)
            if let rate = timeouts.minimumRate { first.minimumRate = rate }
            if !configuration.monitors.isEmpty { first.wantsMetrics = true }
            if let upgrade { first = try upgrade(first) }
            first = try first.encodingBody(by: configuration.coders)
            guard !first.body.isEmpty else { return .success(first) }
            return .success(try first.compressingBody(by: options.compression))
        } catch {
            let redaction = configuration.redaction
            return .failure(HTTPError(error.redacted(by: redaction), request: request.summary(redaction)))
        }
    }

    private static func target(
        of request: borrowing HTTPRequest, _ configuration: HTTPClient.Configuration, _ options: RequestOptions
    ) throws(HTTPError.Reason) -> URLResolver.Target {
        try configuration.resolver.target(
            of: request, defaultQuery: configuration.defaultQuery, keepsDotSegments: options.keepsDotSegments)
    }

    /// The default header fields.
    private static let defaultHeaders: HTTPHeaders = ["Accept": "*/*", "User-Agent": HTTPClient.userAgent]

    /// Returns whether the request is sent without the client's credentials, because its origin is not in their scope.
    private static func dropsCredentials(
        _ request: HTTPRequest, _ configuration: HTTPClient.Configuration, _ options: RequestOptions,
        _ target: URLResolver.Target, _ isAuthorized: Bool
    ) throws(HTTPError.Reason) -> Bool {
        guard !target.isRelative else { return false }
        let hasCredentials =
            isAuthorized
            || usesClientCertificate(request, options)
            || configuration.defaultHeaders.contains { $0.isSensitive && !request.headers.contains($0.name) }
        guard hasCredentials else { return false }
        guard !configuration.credentialScope.isEmpty else { throw .invalidRequest(.credentialsWithoutOrigin) }
        return !configuration.credentialScope.contains(target.url.url)
    }

    /// Whether a request presents the client certificate of its client's options.
    private static func usesClientCertificate(_ request: HTTPRequest, _ options: RequestOptions) -> Bool {
        options.connection.clientCertificate != nil && !request.options.connection.setsClientCertificate
    }

    /// Returns the header fields to send.
    private static func headers(
        _ request: HTTPRequest, _ configuration: HTTPClient.Configuration, _ target: URLResolver.Target,
        droppingCredentials: Bool
    ) throws(HTTPError.Reason) -> HTTPHeaders {
        var headers = request.headers.merging(defaults: configuration.defaultHeaders)
        if droppingCredentials { headers = headers.removingSensitiveFields(except: request.headers) }
        if let authorization = target.authorization, !headers.contains("Authorization") {
            headers.add("Authorization", authorization)
        }
        if let contentType = request.body.contentType, !headers.contains("Content-Type") {
            headers.add("Content-Type", contentType)
        }
        try headers.check(for: request.method, request.body)
        return headers.merging(defaults: defaultHeaders)
    }
}

extension HTTPRequest {
    /// Returns the request that a client without settings passes to its transport.
    package func transportRequest() throws(HTTPError) -> TransportRequest {
        try RequestPlan.transportRequest(self, HTTPClient.Configuration(), options, .collect, isAuthorized: false)
            .get()
    }

    /// Returns the description of the request in errors, without secrets.
    func summary(_ redaction: Redaction) -> HTTPError.RequestSummary {
        HTTPError.RequestSummary(method: method, url: redaction.redacting(url: target))
    }

    /// This request with a scheme of HTTP in place of one of WebSockets.
    fileprivate var withHTTPScheme: HTTPRequest {
        var request = self
        request.target = target.withHTTPScheme
        return request
    }

    /// Whether the request has credentials of its own.
    fileprivate var hasCredentials: Bool {
        if headers.contains("Authorization") { return true }
        let reference = URLReference(target)
        return reference.authority.map { reference[$0].utf8.contains(UInt8(ascii: "@")) } ?? false
    }
}

extension TransportRequest {
    /// Returns the description of the request in errors, without secrets.
    package func summary(_ redaction: Redaction) -> HTTPError.RequestSummary {
        let url = isUpgrade ? lazyURL.text.withWebSocketScheme : lazyURL.text
        return HTTPError.RequestSummary(method: method, url: redaction.redacting(url: url))
    }
}

extension HTTPHeaders {
    /// Rejects fields and methods with which a user's value could become part of the protocol.
    func check(for method: HTTPMethod, _ body: HTTPBody) throws(HTTPError.Reason) {
        guard method.rawValue.isToken, method != .connect else { throw .invalidRequest(.method(method.rawValue)) }
        if method == .head || method == .trace, !body.isEmpty { throw .invalidRequest(.unexpectedBody(method)) }
        if let name = firstInvalidName {
            throw .invalidRequest(name.isToken ? .headerValue(of: name) : .headerName(name))
        }
        // The transport sets the body's framing (RFC 9112, section 6).
        if let field = first(where: \.saysFraming) { throw .invalidRequest(.framingHeader(field.name)) }
    }
}

extension TransportRequest {
    /// Returns this request, checked and with credentials in its URL moved to a field.
    ///
    /// - Parameter keepsDotSegments: Whether the URL's segments `.` and `..` remain.
    func checked(keepsDotSegments: Bool) throws(HTTPError.Reason) -> TransportRequest {
        try headers.check(for: method, body)
        let target = try URLResolver.target(of: url, keepsDotSegments: keepsDotSegments)
        var request = self
        request.lazyURL = target.url
        if let authorization = target.authorization, !headers.contains("Authorization") {
            request.headers.add("Authorization", authorization)
        }
        return request
    }

    /// Returns this request with the values in its body encoded.
    func encodingBody(by coders: @autoclosure () -> CoderRegistry) throws(HTTPError.Reason) -> TransportRequest {
        guard body.hasValues else { return self }
        var request = self
        do {
            request.body = try body.encoded(by: coders())
        } catch {
            throw .thrown(error, by: .encoder)
        }
        return request
    }
}

extension HTTPHeaders.Field {
    fileprivate var saysFraming: Bool {
        name.isEqualIgnoringASCIICase(to: "content-length") || name.isEqualIgnoringASCIICase(to: "transfer-encoding")
    }
}
