/// The policies that an exchange needs the permits of.
struct PermitPolicies: Sendable {
    let rateLimit: RateLimit?
    let circuitBreaker: CircuitBreaker?
    let maxConcurrentRequests: Int?

    /// Returns the policies of a client; `nil` if it has none.
    init?(_ limits: HTTPClient.Limits) {
        rateLimit = limits.rateLimit
        circuitBreaker = limits.circuitBreaker
        maxConcurrentRequests = limits.maxConcurrentRequestsPerOrigin.map { max($0, 1) }
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
    func begin(with permit: Permit, after waits: HTTPRequest.Metrics.Waits)
    /// Fails the exchange.
    func fail(_ refusal: HTTPError.Connection, after waits: HTTPRequest.Metrics.Waits)
}
