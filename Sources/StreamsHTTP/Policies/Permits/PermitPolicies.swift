/// The policies that an exchange needs the permits of.
struct PermitPolicies: Sendable {
    let rateLimit: RateLimit?
    let circuitBreaker: CircuitBreaker?
    let maxConcurrentRequests: Int?

    /// Returns the policies of a configuration; `nil` if it has none.
    init?(_ configuration: HTTPClient.Configuration) {
        rateLimit = configuration.rateLimit
        circuitBreaker = configuration.circuitBreaker
        maxConcurrentRequests = configuration.maxConcurrentRequestsPerOrigin.map { max($0, 1) }
        if rateLimit == nil, circuitBreaker == nil, maxConcurrentRequests == nil { return nil }
    }
}

/// A permit to send one exchange, which is returned once.
struct Permit: Hashable {
    /// Whether the exchange counts towards the limit of concurrent requests.
    let hasPlace: Bool
    /// The period of the circuit in which the exchange passed; `nil` without a breaker, and after the outcome has been
    /// reported.
    var period: CircuitState.Period?
}

/// A waiting exchange, as the state of an origin sees it.
protocol PermitHolder: AnyObject, Sendable {
    /// Sends the exchange.
    func begin(with permit: Permit, after waits: RequestMetrics.Waits)
    /// Fails the exchange.
    func fail(_ refusal: HTTPError.Connection, after waits: RequestMetrics.Waits)
}

/// The permits of one origin as a value, for displays.
struct OriginPermitsSnapshot: Hashable, Sendable {
    let origin: String
    /// The number of exchanges under way that count towards the limit of concurrent requests.
    let running: Int
    let waitingForPlace: Int
    let waitingForRate: Int
    /// The permits in the token bucket; `nil` without a rate limit.
    let tokens: Int?
    /// The time until the bucket has its next permit, zero if it has one; `nil` without a rate limit.
    let nextToken: Duration?
    /// The phase of the circuit; `nil` without a breaker.
    let circuit: CircuitState.Phase?
    /// The numbers of outcomes and failures in the breaker's window.
    let calls: Int
    let failures: Int
}
