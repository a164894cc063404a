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
                let exchange = PermittedExchange(
                    request, on: transport, permits: permits, policies: policies, clock: clock, delivering: receiver)
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
