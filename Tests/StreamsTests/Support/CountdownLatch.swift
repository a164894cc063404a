import Streams

/// Something to wait for: that an event has happened a number of times.
final class CountdownLatch: Sendable {
    private struct State {
        var missing: Int
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(count: Int = 1) {
        state = Locked(State(missing: count))
    }

    func fire() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.missing -= 1
            guard state.missing == 0 else { return [] }
            let waiters = state.waiters
            state.waiters = []
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.missing > 0 { state.waiters.append(continuation) }
                return state.missing <= 0
            }
            if isOver { continuation.resume() }
        }
    }
}
