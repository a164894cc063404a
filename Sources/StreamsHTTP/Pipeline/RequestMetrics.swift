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

    /// The exchanges in the order in which they were started: of a request that has more of them, the latest hundred. The
    /// sums are of all.
    public private(set) var exchanges: [Exchange] = []
    /// What the exchanges have come to that are not kept.
    private var earlier = (count: 0, bytesSent: Int64(0), bytesReceived: Int64(0))
    /// From the first demand to the end, with the waits between attempts, by the system's continuous clock.
    public internal(set) var total: Duration = .zero

    /// How many attempts were made.
    public var attempts: Int { exchanges.last?.attempt ?? 0 }
    /// How many redirects were followed, in all attempts.
    public var redirects: Int { earlier.count + exchanges.count - attempts }
    /// The bytes of all requests, as far as they were measured.
    public var bytesSent: Int64 { exchanges.reduce(earlier.bytesSent) { $0 + ($1.measured?.bytesSent ?? 0) } }
    /// The bytes of all responses on the wire, as far as they were measured.
    public var bytesReceived: Int64 {
        exchanges.reduce(earlier.bytesReceived) { $0 + ($1.measured?.bytesReceived ?? 0) }
    }
}

extension RequestMetrics {
    /// So many exchanges are kept.
    private static let limit = 100

    /// - Returns: The exchange's number, from 0.
    mutating func add(_ exchange: Exchange) -> Int {
        if exchanges.count == Self.limit {
            let first = exchanges.removeFirst()
            earlier.count += 1
            earlier.bytesSent += first.measured?.bytesSent ?? 0
            earlier.bytesReceived += first.measured?.bytesReceived ?? 0
        }
        exchanges.append(exchange)
        return earlier.count + exchanges.count - 1
    }

    /// Takes in what an exchange was measured to be, where that is kept.
    mutating func set(_ measured: ExchangeMetrics, ofExchange number: Int) {
        let place = number - earlier.count
        if exchanges.indices.contains(place) { exchanges[place].measured = measured }
    }
}
