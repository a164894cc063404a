/// All that one subscription needs to know: what to send first, on what, and by which rules. It never changes, and has
/// many parts: all that take part in a request share one.
final class RequestPlan: Sendable {
    /// What becomes of the body of a response.
    enum BodyUse: Sendable {
        case collect
        case deliver
    }

    /// The first request, or why there can be none.
    let request: Result<TransportRequest, HTTPError>
    let bodyUse: BodyUse
    let options: RequestOptions
    let transport: any HTTPTransport
    let clock: RequestClock
    let registry: RequestRegistry
    /// How many of the client's requests may be under way for this one to begin.
    let maxConcurrentRequests: Int?
    /// Whom the request may share its exchange with; `nil` where it shares with nobody.
    let sharing: SharedRequestGroup?
    /// What bounds retries, where there may be any.
    let retryBudget: RetryBudget?
    /// What has been spent of the budget; `nil` where there is none, or are no retries.
    let ledger: RetryLedger?
    let monitors: [any EventMonitor]
    private let interceptors: [any Interceptor]
    /// What gives the request its credentials; `nil` where it needs none.
    private let authorization: AuthorizationScope?

    /// The largest body that is collected where nobody says otherwise.
    private static let defaultMaxBodySize = 64 * 1024 * 1024
    /// The most that is kept of the body of an error where nobody says otherwise.
    private static let defaultMaxErrorBodySize = 1024 * 1024

    init(
        _ request: borrowing HTTPRequest, client: borrowing HTTPClient, bodyUse: BodyUse
    ) {
        options = request.options.merging(defaults: client.configuration.options)
        transport = client.transport
        clock = client.clock
        registry = client.registry
        maxConcurrentRequests = client.configuration.maxConcurrentRequests
        retryBudget = client.configuration.retryBudget
        ledger = retryBudget == nil || options.retry == nil ? nil : client.ledger
        monitors = client.configuration.monitors
        interceptors = client.configuration.interceptors
        if options.requiresAuthorization == true, let authorizer = client.configuration.authorizer {
            authorization = AuthorizationScope(authorizer: authorizer, client: copy client)
        } else {
            authorization = nil
        }
        self.bodyUse = bodyUse
        let first = Self.transportRequest(request, client.configuration, options, bodyUse)
        self.request = first
        sharing =
            if options.sharesInFlight == true, bodyUse == .collect, case .success(let first) = first {
                SharedRequestGroup(first, options, of: client.sharedRequests)
            } else {
                nil
            }
    }

    /// A plan that fails before anything is sent.
    init(failing error: HTTPError, client: HTTPClient, bodyUse: BodyUse) {
        request = .failure(error)
        options = client.configuration.options
        transport = client.transport
        clock = client.clock
        registry = client.registry
        maxConcurrentRequests = client.configuration.maxConcurrentRequests
        sharing = nil
        retryBudget = nil
        ledger = nil
        monitors = client.configuration.monitors
        interceptors = []
        authorization = nil
        self.bodyUse = bodyUse
    }

    /// The interceptors of one subscription, in their order.
    func makeInterceptors() -> [any Interceptor] {
        guard let authorization else { return interceptors }
        return interceptors + [AuthorizationInterceptor(authorization)]
    }

    /// The largest body that is taken; `nil` where there is no limit.
    var maxBodySize: Int? { Self.maxBodySize(options, bodyUse) }

    private static func maxBodySize(_ options: RequestOptions, _ bodyUse: BodyUse) -> Int? {
        let limit = options.maxBodySize ?? (bodyUse == .collect ? defaultMaxBodySize : nil)
        return limit.map { max($0, 0) }
    }

    /// The most that is kept of the body of an error.
    var maxErrorBodySize: Int {
        max(options.maxErrorBodySize ?? min(Self.defaultMaxErrorBodySize, maxBodySize ?? .max), 0)
    }

    /// What is asked for first.
    var summary: HTTPError.RequestSummary {
        switch request {
        case .success(let request): request.summary
        case .failure(let error): error.request
        }
    }

    /// How many bytes of a body that is delivered in chunks may be on their way to the subscriber. The transport's
    /// thread and the subscriber's wake each other about once a window: with a fourth of it, a large body took about
    /// twice as long.
    private static let deliveryWindow = 1 << 20

    fileprivate static func transportRequest(
        _ request: HTTPRequest, _ configuration: HTTPClient.Configuration, _ options: RequestOptions, _ bodyUse: BodyUse
    ) -> Result<TransportRequest, HTTPError> {
        do throws(HTTPError.Reason) {
            let target = try RequestTarget(
                request, baseURL: configuration.baseURL, defaultQuery: configuration.defaultQuery)
            let headers = try headers(request, configuration, target)
            let timeouts = options.timeouts ?? Timeouts()
            let connection = options.connection ?? usualConnection
            var first = TransportRequest(
                method: request.method, url: target.url, headers: headers, body: request.body,
                connection: connection, connectTimeout: timeouts.connect, idleTimeout: timeouts.idle,
                isPaced: bodyUse == .deliver, maxBodySize: maxBodySize(options, bodyUse),
                previewName: options.previewName)
            if bodyUse == .deliver { first.window = deliveryWindow }
            if !configuration.monitors.isEmpty { first.wantsMetrics = true }
            return .success(first)
        } catch {
            return .failure(HTTPError(error, request: request.summary))
        }
    }

    /// How connections are made where nobody says how.
    private static let usualConnection = ConnectionOptions()

    /// What requests say that say nothing else about it.
    private static let usualHeaders: HTTPHeaders = ["Accept": "*/*", "User-Agent": HTTPClient.userAgent]

    /// The fields as they will be sent.
    private static func headers(
        _ request: HTTPRequest, _ configuration: HTTPClient.Configuration, _ target: RequestTarget
    ) throws(HTTPError.Reason) -> HTTPHeaders {
        var headers = request.headers.merging(defaults: configuration.defaultHeaders)
        if let authorization = target.authorization, !headers.contains("Authorization") {
            headers.add("Authorization", authorization)
        }
        if let contentType = request.body.contentType, !headers.contains("Content-Type") {
            headers.add("Content-Type", contentType)
        }
        try headers.check(for: request.method, request.body)
        return headers.merging(defaults: usualHeaders)
    }
}

extension HTTPRequest {
    /// What a client without settings of its own would hand to its transport.
    package func transportRequest() throws(HTTPError) -> TransportRequest {
        try RequestPlan.transportRequest(self, HTTPClient.Configuration(), options, .collect).get()
    }

    /// The request as an error may show it.
    var summary: HTTPError.RequestSummary {
        HTTPError.RequestSummary(method: method, url: target.redactedTarget)
    }
}

extension TransportRequest {
    var summary: HTTPError.RequestSummary {
        HTTPError.RequestSummary(method: method, url: url.redactedString)
    }
}
