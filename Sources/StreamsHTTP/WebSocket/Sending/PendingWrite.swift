/// A message that has been added and is to be written, for the call that waits for it.
final class PendingWrite: Sendable {
    private enum State {
        case pending
        case awaited(CheckedContinuation<Bool, Never>)
        case ended(isWritten: Bool)
    }

    private let state = Locked(State.pending)

    /// Waits until the message has been written, or cannot be any more. To be called once.
    ///
    /// - Returns: Whether it has been written.
    func wait() async -> Bool {
        await withCheckedContinuation { waiter in
            let isWritten = state.withLock { state -> Bool? in
                if case .ended(let isWritten) = state { return isWritten }
                state = .awaited(waiter)
                return nil
            }
            if let isWritten { waiter.resume(returning: isWritten) }
        }
    }

    /// Ends the wait.
    func end(isWritten: Bool) {
        let previous = state.withLock { exchange(&$0, with: .ended(isWritten: isWritten)) }
        if case .awaited(let waiter) = previous { waiter.resume(returning: isWritten) }
    }
}
