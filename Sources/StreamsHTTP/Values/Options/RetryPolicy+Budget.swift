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
