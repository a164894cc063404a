/// An exchange that has yet to be started.
// Safe because what changes is behind the lock, and the exchange is called outside of it.
final class DelayedExchange: TransportExchange, @unchecked Sendable {
    private struct State {
        var granted = 0
        var exchange: (any TransportExchange)?
        var alarm: (any Cancellable & Sendable)?
        var isAborted = false
    }

    private let state = Locked(State())

    /// Starts it after a while, unless it is aborted before.
    func start(
        after delay: Duration, on clock: PlayClock, _ start: @escaping @Sendable () -> any TransportExchange
    ) {
        let alarm = clock.later.schedule(delay) { [self] in
            guard state.withLock({ !$0.isAborted }) else { return }
            attach(start())
        }
        let isAborted = state.withLock { state in
            if state.exchange == nil { state.alarm = alarm }
            return state.isAborted
        }
        if isAborted { alarm.cancel() }
    }

    private func attach(_ exchange: any TransportExchange) {
        let (granted, isAborted) = state.withLock { state in
            state.exchange = exchange
            state.alarm = nil
            return (state.granted, state.isAborted)
        }
        if granted > 0 { exchange.grant(granted) }
        if isAborted { exchange.abort() }
    }

    func grant(_ bytes: Int) {
        let exchange = state.withLock { state in
            if state.exchange == nil { state.granted += bytes }
            return state.exchange
        }
        exchange?.grant(bytes)
    }

    func abort() {
        let (exchange, alarm) = state.withLock { state in
            state.isAborted = true
            defer { state.alarm = nil }
            return (state.exchange, state.alarm)
        }
        alarm?.cancel()
        exchange?.abort()
    }
}
