import Streams

/// A latch that resumes waiting tasks when it has been counted down to zero.
final class CountdownLatch: Sendable {
    private struct State {
        var remaining: Int
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(count: Int = 1) {
        state = Locked(State(remaining: count))
    }

    func fire() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.remaining -= 1
            guard state.remaining == 0 else { return [] }
            let waiters = state.waiters
            state.waiters = []
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.remaining > 0 { state.waiters.append(continuation) }
                return state.remaining <= 0
            }
            if isOver { continuation.resume() }
        }
    }
}
