/// The rules that decide when a failed attempt is retried, and after which delay.
///
/// An attempt is retried only if that is safe: the method is one of ``methods``, the body can be sent again, no chunk
/// of a response has been delivered, and the failure is transient: no connection, a broken exchange, a connect or idle
/// timeout, or one of ``statuses``. A `Retry-After` is obeyed (RFC 9110, section 10.2.3) up to ``maxServerDelay``; after
/// a longer one there is no retry. If ``ResponseValidation`` accepts a response that this policy would retry, and there
/// is no retry, the request completes with that response. When many requests fail, a client's ``RetryPolicy/Budget``
/// bounds the number of retries. Policies are equal if their properties are; a closure is equal to its copies alone.
///
/// Regardless of the policy, an idempotent request is repeated once, without a delay, if a reused connection breaks
/// before the response; see ``HTTPError/Transfer/reusedConnectionLost``. Any request that a server refuses by HTTP/2
/// without processing it is sent again; see ``HTTPError/Transfer/requestRefused``.
public struct RetryPolicy: OptionGroup, Hashable, Sendable {
    struct Values: Hashable, Sendable {
        var maxRetries = 0
        var backoff = Backoff()
        var statuses: Set<HTTPStatus> = [
            .requestTimeout, .tooManyRequests, .internalServerError, .badGateway, .serviceUnavailable, .gatewayTimeout,
        ]
        /// The methods; the idempotent ones if `nil`.
        var methods: Set<HTTPMethod>?
        var shouldRetry: Unique<@Sendable (HTTPError) -> Bool?>?
        var maxServerDelay = Duration.seconds(120)
        var maxElapsed: Duration?
    }

    var settings = unset

    private static let unset = Settings(Values())

    /// Creates a policy of which nothing is set.
    public init() {}

    /// Creates a policy of which nothing is set but the parameters; the properties describe them. Without a backoff,
    /// none is set.
    public init(maxRetries: Int, backoff: Backoff? = nil) {
        self.maxRetries = maxRetries
        if let backoff { self.backoff = backoff }
    }

    /// The maximum number of retries; none by default, and if it is less than one.
    public var maxRetries: Int {
        get { settings.maxRetries }
        set { settings.maxRetries = newValue }
    }

    /// The delay before each retry, unless the server sends a `Retry-After`.
    public var backoff: Backoff {
        get { settings.backoff }
        set { settings.backoff = newValue }
    }

    /// The statuses that are retried; by default 408, 429, 500, 502, 503 and 504.
    public var statuses: Set<HTTPStatus> {
        get { settings.statuses }
        set { settings.statuses = newValue }
    }

    /// The methods that may be sent again. By default the idempotent ones (RFC 9110, section 9.2.2), also those of the
    /// program (``HTTPMethod/isIdempotent``), which are not in this set. Add another only for a service that recognises
    /// repeated requests.
    public var methods: Set<HTTPMethod> {
        get { settings.methods ?? HTTPMethod.idempotentMethods }
        set { settings.methods = newValue == HTTPMethod.idempotentMethods ? nil : newValue }
    }

    /// A closure that decides whether a failure is transient. Without a closure, or if it returns `nil`, the default
    /// rule decides. It is called for failures, which include the responses that ``ResponseValidation`` refuses, and for
    /// responses with one of ``statuses``; also for the head of such a response alone, with an empty body. It runs on the
    /// transport's thread and should return quickly.
    public var shouldRetry: (@Sendable (HTTPError) -> Bool?)? {
        get { settings.shouldRetry?.value }
        set { settings.shouldRetry = newValue.map { Unique($0) } }
    }

    /// The longest `Retry-After` that is obeyed; two minutes by default.
    public var maxServerDelay: Duration {
        get { settings.maxServerDelay }
        set { settings.maxServerDelay = newValue }
    }

    /// The time after the start of the first attempt within which another may start; `nil`, the default, is no limit.
    /// Unlike ``RequestOptions/Timeouts/total``, it does not end an attempt.
    public var maxElapsed: Duration? {
        get { settings.maxElapsed }
        set { settings.maxElapsed = newValue }
    }

    /// A policy without retries.
    public static let never = RetryPolicy(maxRetries: 0)
}

extension RetryPolicy: CustomReflectable {
    public var customMirror: Mirror { Mirror(options: self) }
}

extension RetryPolicy {
    /// Returns the delay before a retry; `nil` if there is no retry.
    ///
    /// - Parameters:
    ///   - error: The error of the attempt.
    ///   - request: The request of the attempt.
    ///   - retries: The number of earlier retries.
    ///   - now: The time of the day, for dates.
    ///   - random: A number from 0 to 1.
    func delay(
        after error: HTTPError, of request: TransportRequest, retries: Int, now: Date, random: Double
    ) -> Duration? {
        guard allowsRetry(after: error, of: request, retries: retries) else { return nil }
        guard let retryAfter = error.retryAfter(now: now) else {
            return backoff.delay(beforeRetry: retries + 1, random: random)
        }
        return retryAfter <= maxServerDelay ? retryAfter : nil
    }

    /// Returns whether an attempt may be retried, regardless of the delay.
    func allowsRetry(after error: HTTPError, of request: TransportRequest, retries: Int) -> Bool {
        retries < maxRetries && settings.methods?.contains(request.method) ?? request.method.isIdempotent
            && request.body.isReplayable
            && shouldRetry?(error) ?? isTransient(error.reason)
    }

    /// Returns whether another attempt may succeed, by the default rule.
    func isTransient(_ reason: HTTPError.Reason) -> Bool {
        reason.isTransient(statuses.contains)
    }
}

extension RetryPolicy {
    /// A limit on the retries that a client adds to its requests to a host, so that they do not overload a failing
    /// host.
    ///
    /// In any ten seconds, a ``RetryPolicy`` may retry as many attempts to one origin as `share` times the first
    /// attempts of requests with such a policy, plus `reserve` for each second. A request beyond that fails with the
    /// error of its attempt. The hedges of a ``HedgingPolicy`` count as retries, and requests with one as first attempts.
    /// Each client has a budget of its own. Retries by interceptors, and requests that are sent
    /// again with new credentials or after a reused connection has broken, do not count.
    public struct Budget: Hashable, Sendable {
        /// The number of retries in proportion to first attempts; a fifth by default, and none if it is negative.
        public var share: Double
        /// The number of retries in each second that need no first attempt; ten by default, and none if it is negative.
        public var reserve: Double

        /// Creates a budget; the properties describe the parameters.
        public init(share: Double = 0.2, reserve: Double = 10) {
            self.share = max(share, 0)
            self.reserve = max(reserve, 0)
        }
    }
}
