import StreamsHTTP

/// An exchange that starts after a delay.
final class DelayedExchange: TransportExchange {
    private struct State {
        var allowed = 0
        var exchange: (any TransportExchange)?
        var timer: (any Cancellable & Sendable)?
        var isAborted = false
    }

    private let state = Locked(State())

    /// Starts an exchange after a delay, unless this exchange is aborted before.
    func start(
        after delay: Duration, on scheduler: ExchangeScheduler, _ start: @escaping @Sendable () -> any TransportExchange
    ) {
        let timer = scheduler.schedule(after: delay) { [self] in
            guard state.withLock({ !$0.isAborted }) else { return }
            attach(start())
        }
        let isAborted = state.withLock { state in
            if state.exchange == nil { state.timer = timer }
            return state.isAborted
        }
        if isAborted { timer.cancel() }
    }

    private func attach(_ exchange: any TransportExchange) {
        let (allowed, isAborted, timer) = state.withLock { state in
            defer { state.timer = nil }
            state.exchange = exchange
            return (state.allowed, state.isAborted, state.timer)
        }
        withExtendedLifetime(timer) {}
        if allowed > 0 { exchange.allow(bytes: allowed) }
        if isAborted { exchange.abort() }
    }

    func allow(bytes: Int) {
        let exchange = state.withLock { state in
            let (sum, isTooLarge) = state.allowed.addingReportingOverflow(bytes)
            if state.exchange == nil { state.allowed = isTooLarge ? .max : sum }
            return state.exchange
        }
        exchange?.allow(bytes: bytes)
    }

    func abort() {
        let (exchange, timer) = state.withLock { state in
            state.isAborted = true
            defer { state.timer = nil }
            return (state.exchange, state.timer)
        }
        timer?.cancel()
        exchange?.abort()
    }

    var wait: HTTPRequest.Wait? { state.withLock { $0.exchange }?.wait }
}
