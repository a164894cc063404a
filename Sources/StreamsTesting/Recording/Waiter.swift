import Streams

/// A task that waits for a number of something, or for an end.
final class Waiter: Sendable {
    private enum State {
        case open
        case waiting(UnsafeContinuation<Bool, Never>)
        case settled(Bool)
    }

    let count: Int
    private let state = Locked(State.open)

    init(count: Int) {
        self.count = count
    }

    /// Ends the waiting. Only the first call counts.
    func settle(_ outcome: Bool) {
        let waiting = state.withLock { state in
            switch state {
            case .open:
                state = .settled(outcome)
                return UnsafeContinuation<Bool, Never>?.none
            case .waiting(let continuation):
                state = .settled(outcome)
                return continuation
            case .settled:
                return nil
            }
        }
        waiting?.resume(returning: outcome)
    }

    /// What it came to; `false` once the task that waits is cancelled.
    var outcome: Bool {
        get async {
            await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    let outcome = state.withLock { state in
                        if case .settled(let outcome) = state { return Bool?.some(outcome) }
                        state = .waiting(continuation)
                        return nil
                    }
                    if let outcome { continuation.resume(returning: outcome) }
                }
            } onCancel: {
                settle(false)
            }
        }
    }
}
