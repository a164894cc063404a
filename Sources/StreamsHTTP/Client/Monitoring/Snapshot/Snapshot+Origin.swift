extension HTTPClient.Snapshot {
    /// An origin (RFC 6454) that a client communicates with.
    public struct Origin: Hashable, Sendable {
        /// The scheme, host and port: `https://api.example.com:443`.
        public let name: String
        /// The connections of the client's transport; `nil` if the transport does not count them.
        public internal(set) var connections: OriginConnections?
        /// The permits of the policies that protect servers; `nil` without such policies or recent requests.
        public internal(set) var permits: Permits?
        /// The use of the client's ``HTTPClient/Limits/retryBudget``; `nil` without one or recent attempts.
        public internal(set) var retries: Retries?

        init(name: String) {
            self.name = name
        }
    }

    /// The permits of the policies that protect an origin: ``HTTPClient/Limits/rateLimit``,
    /// ``HTTPClient/Limits/circuitBreaker`` and ``HTTPClient/Limits/maxConcurrentRequestsPerOrigin``.
    public struct Permits: Hashable, Sendable {
        /// The number of exchanges under way that count towards the limit of concurrent requests.
        public let running: Int
        /// The number of exchanges that wait for a place among the concurrent requests.
        public let waitingForPlace: Int
        /// The number of exchanges that wait for a permit of the rate limit.
        public let waitingForRate: Int
        /// The permits in the token bucket; `nil` without a rate limit.
        public let tokens: Int?
        /// The time until the bucket has its next permit, zero if it has one; `nil` without a rate limit.
        public let nextToken: Duration?
        /// The phase of the circuit; `nil` without a breaker.
        public let circuit: CircuitBreaker.Phase?
        /// The number of outcomes in the breaker's window.
        public let calls: Int
        /// The number of failures among them.
        public let failures: Int
    }

    /// The use of a retry budget in the last ten seconds.
    public struct Retries: Hashable, Sendable {
        /// The number of first attempts.
        public let firstAttempts: Int
        /// The number of retries.
        public let retries: Int
        /// The number of retries that the budget allows now.
        public let available: Int
    }
}

extension CircuitBreaker {
    /// The phase of an origin's circuit.
    public enum Phase: Hashable, Sendable {
        /// Requests pass.
        case closed
        /// Requests are refused for the rest of the time.
        case open(for: Duration)
        /// Probes pass; the number of those that are under way.
        case halfOpen(probes: Int)
    }
}
