/// The requests that a cache has sent to the server, each with those that wait for its response: requests that miss
/// together ask the server once.
final class CollapsedRequests: Sendable {
    /// The properties that requests have in common if one may wait for the response to another. Whether the response
    /// is one to both is decided when it is there.
    struct Key: Hashable, Sendable {
        let root: CacheKey
        let identity: CacheIdentity?
    }

    private let waiting = Locked<[Key: [CachedExchange]]>([:])

    /// Lets an exchange wait for the response to another request.
    ///
    /// - Parameters:
    ///   - exchange: The exchange that is about to be sent.
    ///   - mayLead: Whether others may wait for this exchange, if there is none to wait for.
    func join(_ exchange: CachedExchange, _ key: Key, mayLead: Bool) -> Role {
        waiting.withLock { waiting in
            if waiting[key] != nil {
                waiting[key]?.append(exchange)
                return .follower
            }
            guard mayLead else { return .single }
            waiting[key] = []
            return .leader
        }
    }

    /// The role of an exchange among those with its key.
    enum Role {
        /// Others may wait for the exchange, until ``end(_:)``.
        case leader
        /// The exchange waits for another one.
        case follower
        /// There is no other exchange.
        case single
    }

    /// Removes an exchange that no longer waits.
    func leave(_ exchange: CachedExchange, _ key: Key) {
        waiting.withLock { $0[key]?.removeAll { $0 === exchange } }
    }

    /// Ends the waiting for an exchange, and returns those that waited.
    func end(_ key: Key) -> [CachedExchange] {
        waiting.withLock { $0.removeValue(forKey: key) ?? [] }
    }
}
