extension HTTPRequest {
    /// The metrics of a request over all its attempts and redirects.
    public struct Metrics: Sendable {
        /// The times that exchanges waited for permits of the client's policies, by the client's clock.
        public struct Waits: Hashable, Sendable {
            /// The time for a permit of ``HTTPClient/Limits/rateLimit``.
            public internal(set) var rateLimit = Duration.zero
            /// The time for a place of ``HTTPClient/Limits/maxConcurrentRequestsPerOrigin``.
            public internal(set) var concurrency = Duration.zero

            /// The sum of the times.
            public var total: Duration { rateLimit + concurrency }
        }

        /// The copies of an exchange that was hedged (``HedgingPolicy``).
        public struct Hedging: Hashable, Sendable {
            /// The number of copies that were sent after the first.
            public internal(set) var hedges = 0
            /// The number of the copy whose response was taken, which is 0 for the first; `nil` if there was no
            /// response or no hedge.
            public internal(set) var winner: Int?
        }

        /// One exchange that was made for a request.
        public struct Exchange: Sendable {
            /// The attempt it belongs to, from 1.
            public let attempt: Int
            /// The method that was sent; a redirect may have changed it.
            public let method: HTTPMethod
            /// The URL, without credentials and other secrets (``HTTPClient/Configuration/redaction``).
            public let url: String
            /// The time from the request's start to the start of the exchange, which may begin with ``waits``.
            public let start: Duration
            /// The times that the exchange waited for permits before it was sent. An exchange that was refused, or that
            /// ended while it waited, was not sent.
            public internal(set) var waits = Waits()
            /// The copies of the exchange. The waits are those of the first copy, and the measurements those of the
            /// copy whose response was taken.
            public internal(set) var hedging = Hedging()
            /// The transport's measurements; `nil` if the exchange was aborted or the transport does not measure.
            public internal(set) var measured: TransportEvent.Metrics?
        }

        /// The latest hundred exchanges, in the order in which they were started. The sums include all exchanges.
        public private(set) var exchanges: [Exchange] = []
        /// The sums of the exchanges that are not kept.
        private var earlier = (count: 0, bytesSent: Int64(0), bytesReceived: Int64(0), waits: Waits(), hedges: 0)
        /// The time from the first demand to the end, including the waits between attempts, by the system's continuous
        /// clock.
        public internal(set) var total: Duration = .zero

        /// The number of attempts.
        public var attempts: Int { exchanges.last?.attempt ?? 0 }
        /// The number of redirects that were followed in all attempts.
        public var redirects: Int { earlier.count + exchanges.count - attempts }
        /// The times that all exchanges waited for permits.
        public var waits: Waits { exchanges.reduce(earlier.waits) { $0 + $1.waits } }
        /// The number of hedges of all exchanges.
        public var hedges: Int { exchanges.reduce(earlier.hedges) { $0 + $1.hedging.hedges } }
        /// The number of bytes of all requests that were measured.
        public var bytesSent: Int64 { exchanges.reduce(earlier.bytesSent) { $0 + ($1.measured?.bytesSent ?? 0) } }
        /// The number of bytes on the wire of all responses that were measured.
        public var bytesReceived: Int64 {
            exchanges.reduce(earlier.bytesReceived) { $0 + ($1.measured?.bytesReceived ?? 0) }
        }
    }
}

extension HTTPRequest.Metrics {
    /// The number of exchanges that are kept.
    private static let limit = 100

    /// - Returns: The exchange's number, from 0.
    mutating func add(_ exchange: Exchange) -> Int {
        if exchanges.count == Self.limit {
            let first = exchanges.removeFirst()
            earlier.count += 1
            earlier.bytesSent += first.measured?.bytesSent ?? 0
            earlier.bytesReceived += first.measured?.bytesReceived ?? 0
            earlier.waits = earlier.waits + first.waits
            earlier.hedges += first.hedging.hedges
        }
        exchanges.append(exchange)
        return earlier.count + exchanges.count - 1
    }

    /// Returns an exchange; `nil` if it is not kept.
    func exchange(_ number: Int) -> Exchange? {
        place(of: number).map { exchanges[$0] }
    }

    /// Changes an exchange, if it is kept.
    mutating func update(_ number: Int, _ change: (inout Exchange) -> Void) {
        if let place = place(of: number) { change(&exchanges[place]) }
    }

    private func place(of number: Int) -> Int? {
        let place = number - earlier.count
        return exchanges.indices.contains(place) ? place : nil
    }
}

extension HTTPRequest.Metrics.Waits {
    /// Whether nothing was waited for.
    var isEmpty: Bool { rateLimit == .zero && concurrency == .zero }

    fileprivate static func + (left: Self, right: Self) -> Self {
        Self(rateLimit: left.rateLimit + right.rateLimit, concurrency: left.concurrency + right.concurrency)
    }
}
