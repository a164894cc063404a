/// What two requests must have in common to share an exchange: everything that the outcome can depend on.
struct SharedRequestKey: Hashable, Sendable {
    private let method: HTTPMethod
    private let url: URL
    private let headers: HTTPHeaders
    private let connection: ConnectionOptions
    private let timeouts: Timeouts?
    private let redirects: RedirectPolicy?
    private let retry: RetryPolicy.Identity?
    private let validation: ResponseValidation.Identity?
    private let maxBodySize: Int?
    private let maxErrorBodySize: Int?
    private let progress: ProgressGranularity?
    private let requiresAuthorization: Bool
    private let previewName: String?

    /// - Returns: `nil` where the request is not one to share: it may change something on the server (RFC 9110, section
    ///   9.2.1), it has a body, or its retries are a closure's to decide.
    init?(_ request: TransportRequest, _ options: RequestOptions) {
        guard request.method.isSafe, request.body.isEmpty else { return nil }
        method = request.method
        url = request.url
        headers = request.headers
        connection = request.connection
        timeouts = options.timeouts
        redirects = options.redirects
        if let policy = options.retry {
            guard let identity = policy.identity else { return nil }
            retry = identity
        } else {
            retry = nil
        }
        validation = options.validation?.identity
        maxBodySize = options.maxBodySize
        maxErrorBodySize = options.maxErrorBodySize
        progress = options.progress
        requiresAuthorization = options.requiresAuthorization == true
        previewName = options.previewName
    }
}
