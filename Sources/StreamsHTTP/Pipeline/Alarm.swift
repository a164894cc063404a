/// A timer that goes off once, and can be called off from anywhere.
// Safe because the timer is only touched behind the mutex, and called outside of it.
final class Alarm: Cancellable, @unchecked Sendable {

    private struct State {
        var timer: (any Cancellable)?
        var isOver = false
    }

    private let state = Locked(State())

    /// Takes the timer in, or stops it where the alarm is over already.
    func arm(_ timer: any Cancellable) {
        let isOver = state.withLock { state in
            if !state.isOver { state.timer = timer }
            return state.isOver
        }
        if isOver { timer.cancel() }
    }

    /// - Returns: Whether this is the first time, and it was not called off.
    func ring() -> Bool {
        finish()
    }

    func cancel() {
        _ = finish()
    }

    private func finish() -> Bool {
        let (wasOver, timer) = state.withLock { state in
            defer { state = State(timer: nil, isOver: true) }
            return (state.isOver, state.timer)
        }
        timer?.cancel()
        return !wasOver
    }
}
