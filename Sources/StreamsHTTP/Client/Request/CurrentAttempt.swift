/// The attempt under way: its number, the request that was last passed to the transport, and the redirects before it.
struct CurrentAttempt {
    private let plan: RequestPlan
    /// The number of the request in the process.
    private let id: Int
    /// The number of the attempt, from 1; 0 before the first.
    private(set) var number = 0
    /// The request that was last passed to the transport; `nil` if none was in this attempt.
    private(set) var request: TransportRequest?
    /// The request under way before its adaptation. Errors show this one, because an adapted request may contain
    /// interceptors' secrets.
    var unadaptedRequest: TransportRequest?
    /// The number of bytes of that request's body that have been sent.
    var sentBytes: Int64 = 0
    private(set) var redirects: [URL] = []
    /// The response that has redirected last; `nil` before the first redirect of the attempt.
    private var redirect: HTTPResponse<Void>?
    /// Whether the exchanges use new connections, because a reused one has broken.
    private(set) var usesNewConnections = false
    private var uploadThrottle: ProgressThrottle

    init(_ plan: RequestPlan, id: Int) {
        self.plan = plan
        self.id = id
        uploadThrottle = ProgressThrottle(plan.options.progress)
    }

    mutating func startNext() {
        redirects = []
        redirect = nil
        start()
    }

    /// Returns whether the request that was last passed to the transport is sent again after a failure, whatever the
    /// retry policy: once, and only if that is safe (RFC 9110, section 9.2.2).
    func canRepeatExchange(after failure: TransportFailure) -> Bool {
        guard case .transfer(.reusedConnectionLost) = failure.reason, let request else { return false }
        return !usesNewConnections && request.method.isIdempotent && request.body.isReplayable
    }

    /// Starts an attempt that continues with the request of an exchange, after the redirects that led to it.
    mutating func repeatExchange() {
        usesNewConnections = true
        start()
    }

    private mutating func start() {
        number += 1
        request = nil
        sentBytes = 0
        uploadThrottle = ProgressThrottle(plan.options.progress)
    }

    /// Returns the event that announces the attempt.
    func event(sending request: TransportRequest) -> HTTPRequest.Attempt {
        HTTPRequest.Attempt(number: number, method: request.method, url: request.url)
    }

    /// Returns upload progress that is to be published. It never falls within an attempt, even if a redirect sends the
    /// body again.
    mutating func admit(upload progress: TransferProgress) -> TransferProgress? {
        uploadThrottle.admit(progress)
    }

    mutating func send(_ request: TransportRequest) {
        self.request = request
        sentBytes = 0
    }

    /// Records that a response has redirected the request.
    mutating func recordRedirect(by head: HTTPResponse<Void>) {
        redirect = head
        if let unadaptedRequest { redirects.append(unadaptedRequest.url) }
    }

    /// Returns an error of the attempt.
    func error(_ reason: HTTPError.Reason, underlying: HTTPError.Underlying? = nil) -> HTTPError {
        HTTPError(
            reason.redacted(by: plan.redaction),
            request: unadaptedRequest?.summary(plan.redaction) ?? plan.summary, attempt: max(number, 1),
            redirects: redirects, underlying: underlying, originalMethod: plan.summary.method)
    }

    func error(_ failure: TransportFailure) -> HTTPError {
        error(failure.reason, underlying: failure.underlying)
    }

    /// Returns the context for interceptors; `nil` if there is no request.
    func context(isRepeatable: Bool) -> HTTPRequest.Context? {
        guard case .success(let planned) = plan.request else { return nil }
        return HTTPRequest.Context(
            id: id, request: request ?? planned, attempt: max(number, 1), redirects: redirects, redirect: redirect,
            options: plan.options, isRepeatable: isRepeatable)
    }

    func addingRedirects(to head: HTTPResponse<Void>) -> HTTPResponse<Void> {
        redirects.isEmpty ? head : head.with(redirects: redirects)
    }
}
