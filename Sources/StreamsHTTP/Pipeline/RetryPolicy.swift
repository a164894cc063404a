/// When a failed attempt is repeated, and after how long.
///
/// An attempt is repeated only where that cannot do harm: the method is idempotent (RFC 9110, section 9.2.2), the
/// body can be sent again, no chunk of a response has been delivered, and the failure is one that may pass: no
/// connection, a broken exchange, a timeout of connecting or idling, or one of ``statuses``. A `Retry-After` is
/// obeyed (RFC 9110, section 10.2.3) up to ``maxRetryAfter``; a server that asks for more patience than that is not
/// asked again.
public struct RetryPolicy: Hashable, Sendable {
    /// How many times an attempt is repeated.
    public var maxRetries: Int
    public var backoff: Backoff
    /// The statuses worth another attempt.
    public var statuses: Set<HTTPStatus> = [
        .requestTimeout, .tooManyRequests, .internalServerError, .badGateway, .serviceUnavailable, .gatewayTimeout,
    ]
    public var maxRetryAfter: Duration = .seconds(120)

    public init(maxRetries: Int, backoff: Backoff = Backoff()) {
        self.maxRetries = maxRetries
        self.backoff = backoff
    }

    /// No attempt is repeated.
    public static let never = RetryPolicy(maxRetries: 0)

    /// Waiting times that double, with full jitter: each is drawn evenly from zero to its bound, so that clients
    /// that failed together do not come back together.
    public struct Backoff: Hashable, Sendable {
        public var initial: Duration
        public var maximum: Duration

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
            let bound = min(initial * pow(2, Double(min(retry - 1, 62))), maximum)
            return bound * random
        }
    }
}

extension RetryPolicy {
    /// How long to wait before repeating an attempt; `nil` where it is not repeated.
    func delay(after error: HTTPError, of request: TransportRequest, now: Date, random: Double) -> Duration? {
        guard error.attempt <= maxRetries, request.method.isIdempotent, request.body.isReplayable,
            mayPass(error.reason)
        else { return nil }
        guard let wish = error.response?.headers["Retry-After"].flatMap({ RetryAfter($0, now: now) }) else {
            return backoff.delay(beforeRetry: error.attempt, random: random)
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
            .transfer(.headTooLarge), .transfer(.undecodableContent), .invalidRequest, .body, .redirect, .bodyTooLarge,
            .decoding, .cancelled, .shutDown, .transport:
            false
        }
    }
}
