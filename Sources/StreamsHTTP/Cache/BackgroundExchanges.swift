/// The exchanges of a client that update its cache in the background, after a stale response has been used. They belong to
/// no request.
final class BackgroundExchanges: Sendable {
    private struct State {
        var isClosed = false
        var exchanges: [ObjectIdentifier: CachedExchange] = [:]
        /// The continuations of those who wait until no exchange is under way.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Adds an exchange that is about to start.
    ///
    /// - Returns: Whether it may start: `false` after ``close()``.
    func add(_ exchange: CachedExchange) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.exchanges[ObjectIdentifier(exchange)] = exchange
            return true
        }
    }

    /// Removes an exchange that has ended.
    func remove(_ exchange: CachedExchange) {
        let waiters = state.withLock { state in
            state.exchanges[ObjectIdentifier(exchange)] = nil
            guard state.exchanges.isEmpty else { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Cancels all exchanges.
    func cancelAll() {
        for exchange in state.withLock({ Array($0.exchanges.values) }) { exchange.abort() }
    }

    /// Cancels all exchanges, and lets none start from now on.
    func close() {
        state.withLock { $0.isClosed = true }
        cancelAll()
    }

    /// Returns when no exchange is under way.
    func waitUntilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if !state.exchanges.isEmpty { state.waiters.append(continuation) }
                return state.exchanges.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }
}
