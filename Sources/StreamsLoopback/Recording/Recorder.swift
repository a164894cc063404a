/// The journal, and the tasks that wait for it to change.
final class Recorder: Sendable {
    private struct State {
        var journal = Journal()
        var version = 0
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())

    var journal: Journal { state.withLock { $0.journal } }

    /// Returns the request of a number.
    func request(_ number: Int) -> RecordedRequest {
        state.withLock { $0.journal.requests[number - 1] }
    }

    /// Changes the journal. The closure runs under the lock.
    func record<Result: Sendable>(_ change: (inout Journal) -> Result) -> Result {
        let (result, waiters) = state.withLock { state in
            let result = change(&state.journal)
            state.version += 1
            let waiters = Array(state.waiters.values)
            state.waiters.removeAll(keepingCapacity: true)
            return (result, waiters)
        }
        for waiter in waiters { waiter.resume() }
        return result
    }

    /// Changes the request of a number. The closure runs under the lock.
    func record(_ number: Int, _ change: (inout RecordedRequest) -> Void) {
        record { journal in change(&journal.requests[number - 1]) }
    }

    /// Waits until a condition has a result.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time to wait.
    ///   - condition: The condition, which is evaluated without the lock, in the caller's task, at most once per
    ///     change.
    func wait<Result>(
        within timeout: Duration, for condition: (Journal) throws -> Outcome<Result>
    ) async throws -> Result {
        let deadline = ContinuousClock.now + timeout
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        while true {
            let (journal, version) = state.withLock { ($0.journal, $0.version) }
            var alarm = deadline
            switch try condition(journal) {
            case .met(let result): return result
            case .notBefore(let instant): alarm = min(deadline, instant)
            case .unmet: break
            }
            try Task.checkCancellation()
            guard ContinuousClock.now < deadline else {
                throw LoopbackError.timedOut("after \(timeout) there were \(journal)")
            }
            await change(after: version, orAt: alarm, waiter: waiter)
        }
    }

    /// The outcome of a condition.
    enum Outcome<Result> {
        case met(Result)
        case unmet
        /// The condition may be met at that time without a change.
        case notBefore(ContinuousClock.Instant)
    }

    private func change(after version: Int, orAt alarm: ContinuousClock.Instant, waiter: Int) async {
        let clock = Task { [self] in
            try? await Task.sleep(until: alarm, clock: .continuous)
            wake(waiter)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isLate = state.withLock { state in
                    // Checked under the lock, so that a later change finds the continuation.
                    guard state.version == version, !Task.isCancelled, ContinuousClock.now < alarm else { return true }
                    state.waiters[waiter] = continuation
                    return false
                }
                if isLate { continuation.resume() }
            }
        } onCancel: {
            wake(waiter)
        }
        clock.cancel()
    }

    private func wake(_ waiter: Int) {
        let continuation = state.withLock { $0.waiters.removeValue(forKey: waiter) }
        continuation?.resume()
    }
}
