import StreamsHTTP

/// An exchange that fails after a number of bytes of the response's body.
final class TruncatedExchange: TransportReceiver, TransportExchange {
    private struct State {
        var remaining: Int
        /// Whether the connection has been upgraded, so that nothing tells how many bytes are missing.
        var isUpgraded = false
        var exchange: (any TransportExchange)?
        var isOver = false
    }

    private let reason: HTTPError.Reason
    private let receiver: any TransportReceiver
    private let state: Locked<State>

    /// - Parameters:
    ///   - count: The number of bytes to deliver.
    ///   - reason: The reason for the failure.
    ///   - receiver: The receiver of the events.
    init(after count: Int, _ reason: HTTPError.Reason, receiver: any TransportReceiver) {
        self.reason = reason
        self.receiver = receiver
        state = Locked(State(remaining: max(count, 0)))
    }

    /// Sets the exchange whose events this receives. Aborts it if this exchange is over already.
    func attach(_ exchange: any TransportExchange) {
        let isOver = state.withLock { state in
            if !state.isOver { state.exchange = exchange }
            return state.isOver
        }
        if isOver { exchange.abort() }
    }

    func receive(_ event: TransportEvent) {
        switch event {
        case .chunk(let chunk, let received):
            let remaining = state.withLock { state in
                defer { state.remaining -= chunk.count }
                return state.isOver ? nil : state.remaining
            }
            guard let remaining else { return }
            if remaining > chunk.count { return receiver.receive(event) }
            let piece = Data(chunk.prefix(remaining))
            let missing = Int64(chunk.count - piece.count)
            if !piece.isEmpty { receiver.receive(.chunk(piece, received: max(received - missing, 0))) }
            fail()
        case .finished:
            fail()
        case .failed:
            if end().isFirst { receiver.receive(event) }
        case .connected, .sent, .head, .trailers, .metrics:
            if case .head(let head) = event, head.status == .switchingProtocols {
                state.withLock { $0.isUpgraded = true }
            }
            if state.withLock({ !$0.isOver }) { receiver.receive(event) }
        }
    }

    private func fail() {
        let isUpgraded = state.withLock { $0.isUpgraded }
        let (isFirst, exchange) = end()
        exchange?.abort()
        guard isFirst else { return }
        if isUpgraded, case .transfer(.bodyEndedEarly) = reason {
            receiver.receive(.finished)
        } else {
            receiver.receive(.failed(TransportFailure(reason)))
        }
    }

    private func end() -> (isFirst: Bool, exchange: (any TransportExchange)?) {
        state.withLock { state in
            defer {
                state.isOver = true
                state.exchange = nil
            }
            return (!state.isOver, state.exchange)
        }
    }

    func allow(bytes: Int) {
        state.withLock { $0.exchange }?.allow(bytes: bytes)
    }

    func abort() {
        end().exchange?.abort()
    }

    var wait: HTTPRequest.Wait? { state.withLock { $0.exchange }?.wait }
}
