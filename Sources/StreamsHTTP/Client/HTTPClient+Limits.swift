extension HTTPClient {
    /// The limits of a client's requests, together and for each origin.
    ///
    /// ```swift
    /// configuration.limits.maxConcurrentRequests = 100
    /// configuration.limits.rateLimit = RateLimit(requests: 10)
    /// ```
    ///
    /// They belong to the client and not to a request: <doc:ProtectingServers> describes those for each origin.
    public struct Limits: Sendable {
        /// The limit on the retries to a host; `nil` is no limit.
        public var retryBudget: RetryPolicy.Budget? = RetryPolicy.Budget()
        /// The maximum number of concurrent requests of a client; `nil` is no limit, and less than one is one. Further
        /// requests wait in a queue, in order. The time in the queue counts towards ``RequestOptions/Timeouts/total``;
        /// a request whose time is up in the queue fails with ``HTTPError/Timeout/queue``.
        ///
        /// A request that sends the response of another request counts together with that. If such requests take all
        /// places, the others wait for one and none completes: make the others with another client.
        public var maxConcurrentRequests: Int?
        /// The limit on the rate of requests to each origin; `nil`, the default, is no limit.
        public var rateLimit: RateLimit?
        /// The circuit breaker of each origin; `nil`, the default, is none.
        public var circuitBreaker: CircuitBreaker?
        /// The maximum number of concurrent requests to each origin, a bulkhead; `nil`, the default, is no limit, and
        /// less than one is one. Further ones wait in order; a request whose total timeout expires then fails with
        /// ``HTTPError/Timeout/permit``.
        ///
        /// A request counts while an exchange of its is under way, not while it waits for a retry, and a download
        /// counts while it receives. Feeds and WebSockets do not count; only polls do.
        public var maxConcurrentRequestsPerOrigin: Int?
        /// The maximum number of concurrent feeds and WebSockets of a client; `nil`, the default, is no limit. Further
        /// ones wait in a queue, in order. They do not count towards ``maxConcurrentRequests``; only polls do, while a
        /// request of theirs is under way.
        public var maxConcurrentFeeds: Int?

        /// Creates limits: a budget of retries, and no other limit.
        public init() {}
    }
}

extension HTTPClient.Limits: CustomReflectable {
    /// The limits, without the closure of the circuit breaker.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "retryBudget": retryBudget as Any, "maxConcurrentRequests": maxConcurrentRequests as Any,
                "rateLimit": rateLimit as Any, "circuitBreaker": circuitBreaker.map { type(of: $0) } as Any,
                "maxConcurrentRequestsPerOrigin": maxConcurrentRequestsPerOrigin as Any,
                "maxConcurrentFeeds": maxConcurrentFeeds as Any,
            ], displayStyle: .struct)
    }
}
