import Streams

/// A count that one task waits for.
final class CountExpectation: Sendable {
    private enum State {
        case pending
        case awaited(UnsafeContinuation<Bool, Never>)
        case resolved(Bool)
    }

    let count: Int
    private let state = Locked(State.pending)

    init(count: Int) {
        self.count = count
    }

    /// Resumes the waiting task. Only the first call counts.
    func resolve(_ isMet: Bool) {
        let continuation = state.withLock { state in
            switch state {
            case .pending:
                state = .resolved(isMet)
                return UnsafeContinuation<Bool, Never>?.none
            case .awaited(let continuation):
                state = .resolved(isMet)
                return continuation
            case .resolved:
                return nil
            }
        }
        continuation?.resume(returning: isMet)
    }

    /// Waits until the expectation is resolved, or until the waiting task is cancelled, which resolves it to `false`.
    ///
    /// - Parameter limit: The duration after which the expectation is resolved to `false`.
    func isMet(within limit: Duration) async -> Bool {
        let timeout = Task {
            try await Task.sleep(for: limit)
            resolve(false)
        }
        defer { timeout.cancel() }
        return await withCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isMet = state.withLock { state in
                    if case .resolved(let isMet) = state { return Bool?.some(isMet) }
                    state = .awaited(continuation)
                    return nil
                }
                if let isMet { continuation.resume(returning: isMet) }
            }
        } onCancel: {
            resolve(false)
        }
    }
}
