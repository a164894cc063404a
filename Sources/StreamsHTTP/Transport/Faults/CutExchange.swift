/// An exchange whose response's body breaks off.
// Safe because what changes is behind the lock, and both sides are called outside of it.
final class CutExchange: TransportReceiver, TransportExchange, @unchecked Sendable {
    private struct State {
        var room: Int
        var exchange: (any TransportExchange)?
        var isOver = false
    }

    private let reason: HTTPError.Reason
    private let receiver: any TransportReceiver
    private let state: Locked<State>

    init(after limit: Int, _ reason: HTTPError.Reason, receiver: any TransportReceiver) {
        self.reason = reason
        self.receiver = receiver
        state = Locked(State(room: max(limit, 0)))
    }

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
            let room = state.withLock { state in
                defer { state.room -= chunk.count }
                return state.isOver ? nil : state.room
            }
            guard let room else { return }
            if room > chunk.count { return receiver.receive(event) }
            let piece = Data(chunk.prefix(room))
            let missing = Int64(chunk.count - piece.count)
            if !piece.isEmpty { receiver.receive(.chunk(piece, received: max(received - missing, 0))) }
            cut()
        case .finished:
            cut()
        case .failed:
            if end().isFirst { receiver.receive(event) }
        case .sent, .head, .metrics:
            if state.withLock({ !$0.isOver }) { receiver.receive(event) }
        }
    }

    private func cut() {
        let (isFirst, exchange) = end()
        exchange?.abort()
        if isFirst { receiver.receive(.failed(TransportFailure(reason))) }
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

    func grant(_ bytes: Int) {
        state.withLock { $0.exchange }?.grant(bytes)
    }

    func abort() {
        end().exchange?.abort()
    }
}
