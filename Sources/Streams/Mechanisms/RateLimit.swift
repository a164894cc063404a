/// The demand of an operator that limits the number of outstanding values: it turns the subscriber's demand into
/// portions for the upstream, from any thread. `limitRate` uses it.
@usableFromInline
struct RateLimit: ~Copyable, Sendable {
    struct State {
        /// The demand that has not been met yet.
        var wanted = Subscribers.Demand.none
        /// The number of values that were requested from the upstream and have not been delivered.
        var outstanding = 0

        mutating func takePortion(limit: Int, refillMark: Int) -> Subscribers.Demand {
            guard outstanding < refillMark else { return .none }
            let target = Swift.min(wanted.max ?? limit, limit)
            guard target > outstanding else { return .none }
            defer { outstanding = target }
            return .max(target - outstanding)
        }
    }

    let limit: Int
    let refillMark: Int
    let state = Locked(State())

    /// - Parameters:
    ///   - limit: The largest number of outstanding values.
    ///   - refillMark: The number of outstanding values below which more are requested.
    @usableFromInline
    init(limit: Int, refillsBelow refillMark: Int) {
        self.limit = limit
        self.refillMark = refillMark
    }

    /// Adds a request of the subscriber.
    ///
    /// - Returns: The demand to request from the upstream.
    @usableFromInline
    func add(_ demand: Subscribers.Demand) -> Subscribers.Demand {
        state.withLock { state in
            state.wanted += demand
            return state.takePortion(limit: limit, refillMark: refillMark)
        }
    }

    /// Counts a delivered value, and the demand that the subscriber returned for it.
    ///
    /// - Returns: The demand to request from the upstream.
    @usableFromInline
    func countDelivery(additional: Subscribers.Demand = .none) -> Subscribers.Demand {
        state.withLock { state in
            state.wanted += additional
            if state.wanted > .none { state.wanted -= 1 }
            if state.outstanding > 0 { state.outstanding -= 1 }
            return state.takePortion(limit: limit, refillMark: refillMark)
        }
    }
}
