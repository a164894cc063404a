/// What a request has cost in all: every attempt, and every redirect on the way.
public struct RequestMetrics: Sendable {
    /// One exchange that was made for a request.
    public struct Exchange: Sendable {
        /// The attempt it belongs to, from 1.
        public let attempt: Int
        /// The method that was sent; a redirect may have changed it.
        public let method: HTTPMethod
        /// Where it went, without credentials.
        public let url: String
        /// When it began, counted from the request's start.
        public let start: Duration
        /// What the transport has measured; `nil` where the exchange was broken off, and where the transport measures
        /// nothing.
        public internal(set) var measured: ExchangeMetrics?
    }

    /// The exchanges in the order in which they were started.
    public internal(set) var exchanges: [Exchange] = []
    /// From the first demand to the end, with the waits between attempts, by the system's continuous clock.
    public internal(set) var total: Duration = .zero

    /// How many attempts were made.
    public var attempts: Int { exchanges.last?.attempt ?? 0 }
    /// How many redirects were followed, in all attempts.
    public var redirects: Int { exchanges.count - attempts }
    /// The bytes of all requests, as far as they were measured.
    public var bytesSent: Int64 { exchanges.reduce(0) { $0 + ($1.measured?.bytesSent ?? 0) } }
    /// The bytes of all responses on the wire, as far as they were measured.
    public var bytesReceived: Int64 { exchanges.reduce(0) { $0 + ($1.measured?.bytesReceived ?? 0) } }
}
