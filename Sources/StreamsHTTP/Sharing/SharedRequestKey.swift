/// The properties that identical requests have in common: everything that the result can depend on.
struct SharedRequestKey: Hashable, Sendable {
    private let method: HTTPMethod
    private let url: URL
    private let headers: HTTPHeaders
    private let connection: RequestOptions.Connection
    private let timeouts: RequestOptions.Timeouts
    private let redirects: RedirectPolicy
    private let retry: RetryPolicy.Identity
    private let hedging: HedgingPolicy
    private let validation: ResponseValidation.Identity
    private let maxBodySize: Int?
    private let maxErrorBodySize: Int?
    private let headLimits: RequestOptions.HeadLimits
    private let progress: RequestOptions.ProgressGranularity
    private let requiresAuthorization: Bool?
    private let previewName: String?

    /// Creates a key. It is `nil` if the request cannot be shared: its method is not safe (RFC 9110, section 9.2.1), it
    /// has a body, or a closure decides on its retries.
    init?(_ request: TransportRequest, _ options: RequestOptions) {
        guard request.method.isSafe, request.body.isEmpty, let retry = options.retry.identity else { return nil }
        method = request.method
        url = request.url
        headers = request.headers
        connection = request.connection
        timeouts = options.timeouts
        redirects = options.redirects
        self.retry = retry
        hedging = options.hedging
        validation = options.validation.identity
        maxBodySize = options.maxBodySize
        maxErrorBodySize = options.maxErrorBodySize
        headLimits = request.headLimits
        progress = options.progress
        requiresAuthorization = options.requiresAuthorization
        previewName = options.previewName
    }
}
