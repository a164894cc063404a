/// The permits that a client's exchanges need, by origin. Exists only if a policy is configured.
final class ServerPermits: Sendable {
    private let policies: PermitPolicies
    private let clock: RequestClock
    private let origins = Locked(OriginTable<OriginPermits>())

    init(_ policies: PermitPolicies, clock: RequestClock) {
        self.policies = policies
        self.clock = clock
    }

    /// Starts an exchange as soon as it has a permit, or fails it.
    ///
    /// - Parameter takesPlace: Whether the exchange counts towards the limit of concurrent requests.
    func start(
        _ request: TransportRequest, on transport: any HTTPTransport, takesPlace: Bool,
        delivering receiver: any PolicyReceiver
    ) -> any TransportExchange {
        let now = clock.now
        let origin = request.lazyURL.origin
        // Under the lock until the exchange is known to its origin, which is not removed then.
        let (exchange, admission) = origins.withLock { origins in
            origins.update(
                origin, initial: OriginPermits(policies, clock: clock), now: now, removing: { $0.isIdle(now: now) }
            ) { permits in
                let exchange = PermittedExchange(request, on: transport, permits: permits, delivering: receiver)
                return (exchange, permits.acquire(exchange, takesPlace: takesPlace, now: now))
            }
        }
        exchange.start(admission, now: now)
        return exchange
    }

    /// Returns the permits of each origin.
    func snapshots(now: Duration) -> [String: HTTPClient.Snapshot.Permits] {
        origins.withLock { $0.values }.mapValues { $0.snapshot(now: now) }
    }
}

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
