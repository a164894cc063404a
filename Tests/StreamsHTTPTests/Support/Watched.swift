import Dispatch
import Testing

@testable import Streams

/// A value that tests wait on: changed from any thread, looked at after each change.
final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var version = 0
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state: Locked<State>

    init(_ value: Value) {
        state = Locked(State(value: value))
    }

    var value: Value { state.withLock { $0.value } }

    @discardableResult
    func update<Result>(_ change: (inout Value) -> Result) -> Result {
        let (result, waiters) = state.withLock { state in
            let result = change(&state.value)
            state.version += 1
            let waiters = Array(state.waiters.values)
            state.waiters.removeAll()
            return (result, waiters)
        }
        for waiter in waiters { waiter.resume() }
        return result
    }

    /// Waits until the value meets a condition.
    ///
    /// - Throws: ``Overdue`` when it does not within a generous time.
    @discardableResult
    func wait(
        for what: String, within timeout: Duration = .seconds(240), until condition: (Value) -> Bool
    ) async throws -> Value {
        let deadline = ContinuousClock.now + timeout
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        while true {
            let (value, version) = state.withLock { ($0.value, $0.version) }
            if condition(value) { return value }
            guard ContinuousClock.now < deadline else { throw Overdue(what: what, state: "\(value)") }
            await change(after: version, orAt: deadline, waiter: waiter)
        }
    }

    /// Waits until the value has not changed for a while.
    @discardableResult
    func waitForStandstill(lasting duration: Duration = .milliseconds(200)) async throws -> Value {
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let deadline = ContinuousClock.now + .seconds(240)
        while ContinuousClock.now < deadline {
            let version = state.withLock { $0.version }
            let alarm = ContinuousClock.now + duration
            await change(after: version, orAt: alarm, waiter: waiter)
            let (value, latest) = state.withLock { ($0.value, $0.version) }
            if latest == version { return value }
        }
        throw Overdue(what: "a standstill", state: "\(value)")
    }

    /// Blocks the thread until the value meets a condition or a generous time has passed.
    ///
    /// A test fails if the thread is one of the concurrency runtime's: it has as many as the machine has processors, and
    /// once all are blocked, none is left for what they wait for.
    func waitSynchronously(until condition: @escaping @Sendable (Value) -> Bool) {
        let isOfRuntime = withUnsafeCurrentTask { task in task.map { $0.unownedTaskExecutor == nil } ?? false }
        if isOfRuntime { Issue.record("a thread of the concurrency runtime is blocked") }
        let isMet = DispatchSemaphore(value: 0)
        Task {
            _ = try? await wait(for: "the release of a thread", until: condition)
            isMet.signal()
        }
        isMet.wait()
    }

    private func change(after version: Int, orAt deadline: ContinuousClock.Instant, waiter: Int) async {
        let watchdog = Task { [self] in
            // One that was cancelled must not wake the next wait of the same waiter.
            guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
            state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
        }
        await withCheckedContinuation { continuation in
            let hasChanged = state.withLock { state in
                guard state.version == version, ContinuousClock.now < deadline else { return true }
                state.waiters[waiter] = continuation
                return false
            }
            if hasChanged { continuation.resume() }
        }
        watchdog.cancel()
    }
}

/// Something that a test waited for did not happen.
struct Overdue: Error, CustomStringConvertible {
    let what: String
    let state: String

    var description: String { "\(what) did not happen; there was: \(state.prefix(2000))" }
}
