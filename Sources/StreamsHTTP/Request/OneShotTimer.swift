/// A timer that fires once and can be cancelled from any thread.
// Safe because a lock guards the scheduled action, which is cancelled outside of it.
final class OneShotTimer: Cancellable, @unchecked Sendable {

    private struct State {
        var scheduled: (any Cancellable)?
        var isOver = false
    }

    private let state = Locked(State())

    /// Stores the scheduled action, or cancels it if the timer has fired or been cancelled already.
    func arm(_ scheduled: any Cancellable) {
        let isOver = state.withLock { state in
            if !state.isOver { state.scheduled = scheduled }
            return state.isOver
        }
        if isOver { scheduled.cancel() }
    }

    /// - Returns: Whether the timer had neither fired nor been cancelled before.
    func fire() -> Bool {
        finish()
    }

    func cancel() {
        _ = finish()
    }

    private func finish() -> Bool {
        let (wasOver, scheduled) = state.withLock { state in
            defer { state = State(scheduled: nil, isOver: true) }
            return (state.isOver, state.scheduled)
        }
        scheduled?.cancel()
        return !wasOver
    }
}
