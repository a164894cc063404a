/// When a failed attempt is repeated, and after how long.
///
/// An attempt is repeated only where that cannot do harm: the method is one of ``methods``, the body can be sent again,
/// no chunk of a response has been delivered, and the failure is one that may pass: no connection, a broken exchange, a
/// timeout of connecting or idling, or one of ``statuses``. A `Retry-After` is obeyed (RFC 9110, section 10.2.3) up to
/// ``maxRetryAfter``; a server that asks for more patience than that is not asked again. A response that
/// ``ResponseValidation`` accepts, and that only this would repeat, is the response where it is not repeated. Where
/// many requests fail, a client's ``RetryBudget`` bounds what is added to them.
public struct RetryPolicy: Sendable {
    /// How many times an attempt is repeated.
    public var maxRetries: Int
    /// How long to wait before each, where the server does not say.
    public var backoff: Backoff
    /// The statuses worth another attempt.
    public var statuses: Set<HTTPStatus> = [
        .requestTimeout, .tooManyRequests, .internalServerError, .badGateway, .serviceUnavailable, .gatewayTimeout,
    ]
    /// The methods that may be sent again; the idempotent ones (RFC 9110, section 9.2.2) by default. Add another only
    /// for a service that knows a request it has had before.
    public var methods: Set<HTTPMethod> = [.get, .head, .options, .trace, .put, .delete]
    /// Decides whether a failure is one that may pass; `nil`, also as its answer, leaves it to the rule. Asked also
    /// of the head of a response alone, that is with an empty body. Called on the transport's thread, and should decide
    /// at once.
    public var shouldRetry: (@Sendable (HTTPError) -> Bool?)?
    /// The longest `Retry-After` that is waited for.
    public var maxRetryAfter: Duration = .seconds(120)
    /// How long after the first attempt began another may begin; `nil` is without limit. Unlike ``Timeouts/total`` it
    /// does not end an attempt.
    public var maxElapsed: Duration?
    /// Whether a body that is delivered in chunks and breaks off is continued where it ended; not by default.
    ///
    /// The next attempt asks for the rest (RFC 9110, section 14), which takes a GET and a body with a strong entity tag
    /// that was not compressed. Its head, and with it the response, may say 206. Where the body has changed meanwhile,
    /// the request fails as it had broken off.
    public var resumesDownloads = false

    /// Makes a policy with the statuses and methods that are repeated by default.
    ///
    /// - Parameters:
    ///   - maxRetries: How many times an attempt is repeated; not at all where it is less than one.
    ///   - backoff: How long to wait before each.
    public init(maxRetries: Int, backoff: Backoff = Backoff()) {
        self.maxRetries = maxRetries
        self.backoff = backoff
    }

    /// No attempt is repeated.
    public static let never = RetryPolicy(maxRetries: 0)

    /// Waiting times that double, with full jitter: each is drawn evenly from zero to its bound, so that clients
    /// that failed together do not come back together.
    public struct Backoff: Hashable, Sendable {
        /// The bound of the wait before the first retry.
        public var initial: Duration
        /// What no bound exceeds.
        public var maximum: Duration

        /// - Parameters:
        ///   - initial: The bound of the wait before the first retry.
        ///   - maximum: What no bound exceeds.
        public init(initial: Duration = .milliseconds(500), maximum: Duration = .seconds(30)) {
            self.initial = initial
            self.maximum = maximum
        }

        /// The wait before a retry.
        ///
        /// - Parameters:
        ///   - retry: The retry's number, from 1.
        ///   - random: A number from 0 to 1.
        func delay(beforeRetry retry: Int, random: Double) -> Duration {
            var bound = min(initial, maximum)
            var doublings = retry - 1
            // Step by step, and never beyond the maximum: a product of all steps can be more than a duration holds.
            while doublings > 0, bound > .zero, bound < maximum {
                bound += min(bound, maximum - bound)
                doublings -= 1
            }
            return bound * random
        }
    }
}

extension RetryPolicy {
    /// What tells one policy from another, as far as a response that is collected is concerned.
    struct Identity: Hashable, Sendable {
        private let maxRetries: Int
        private let backoff: Backoff
        private let statuses: Set<HTTPStatus>
        private let methods: Set<HTTPMethod>
        private let maxRetryAfter: Duration
        private let maxElapsed: Duration?

        fileprivate init(_ policy: RetryPolicy) {
            maxRetries = policy.maxRetries
            backoff = policy.backoff
            statuses = policy.statuses
            methods = policy.methods
            maxRetryAfter = policy.maxRetryAfter
            maxElapsed = policy.maxElapsed
        }
    }

    /// `nil` where a closure decides, which is like no other.
    var identity: Identity? { shouldRetry == nil ? Identity(self) : nil }

    /// How long to wait before repeating an attempt; `nil` where it is not repeated.
    ///
    /// - Parameters:
    ///   - error: What the attempt failed with.
    ///   - request: What was to be sent.
    ///   - retries: How many times an attempt has been repeated before.
    ///   - now: The time of the day, for dates.
    ///   - random: A number from 0 to 1.
    func delay(
        after error: HTTPError, of request: TransportRequest, retries: Int, now: Date, random: Double
    ) -> Duration? {
        guard retries < maxRetries, methods.contains(request.method), request.body.isReplayable,
            shouldRetry?(error) ?? mayPass(error.reason)
        else { return nil }
        guard let wish = error.response?.headers.retryAfter(now: now) else {
            return backoff.delay(beforeRetry: retries + 1, random: random)
        }
        return wish.delay <= maxRetryAfter ? wish.delay : nil
    }

    private func mayPass(_ reason: HTTPError.Reason) -> Bool {
        switch reason {
        case .connection(.hostNotResolved), .connection(.proxyNotResolved), .connection(.refused),
            .connection(.tlsHandshake), .timeout(.connect), .timeout(.idle), .transfer(.sendFailed),
            .transfer(.receiveFailed), .transfer(.emptyReply), .transfer(.bodyEndedEarly), .transfer(.protocolError):
            true
        case .status(let response):
            statuses.contains(response.status)
        case .connection(.untrustedCertificate), .connection(.trustRoots), .timeout(.total), .transfer(.notHTTP),
            .transfer(.headTooLarge), .transfer(.undecodableContent), .invalidRequest, .encoding, .body, .redirect,
            .bodyTooLarge, .decoding, .authorization, .interceptor, .cancelled, .unanswered, .shutDown, .transport:
            false
        }
    }
}
