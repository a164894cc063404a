import Synchronization

/// A semaphore that suspends tasks until there is demand.
///
/// A value that is sent without waiting takes demand as well, also if there is none. So a task waits until all values
/// before its own have been requested.
///
/// Adding and taking demand costs an atomic operation. The lock guards the tasks that wait. A task sets `hasWaiters` before it
/// checks the demand again, and a thread reads `hasWaiters` after it has added demand, so one of the two sees the other.
@usableFromInline
final class DemandSemaphore: Sendable {
    private struct Waiter {
        let id: Int
        let continuation: UnsafeContinuation<Bool, Never>
    }

    private struct State {
        /// The tasks that wait, in their order.
        var waiters: [Waiter] = []
        var lastID = 0
        var isClosed = false
    }

    /// The number of values requested less that of values sent: ``unlimited`` and slightly less for unlimited demand,
    /// ``closed`` and slightly less after the end.
    private let balance = Atomic<Int>(0)
    private let hasWaiters = Atomic<Bool>(false)
    private let state = Locked(State())

    private static let unlimited = Int.max / 2
    private static let closed = Int.min / 2

    @usableFromInline
    init() {}

    /// The demand that no value has taken, none if the semaphore was closed.
    var demand: Subscribers.Demand {
        let balance = balance.load(ordering: .relaxed)
        return balance > Self.unlimited / 2 ? .unlimited : .max(max(balance, 0))
    }

    /// Adds demand.
    @usableFromInline
    func signal(_ demand: Subscribers.Demand) {
        let additional = min(demand.max ?? Self.unlimited, Self.unlimited)
        var old = balance.load(ordering: .relaxed)
        while true {
            if old <= Self.closed / 2 { return }
            let (exchanged, found) = balance.weakCompareExchange(
                expected: old, desired: min(old + additional, Self.unlimited), ordering: .sequentiallyConsistent)
            if exchanged { break }
            old = found
        }
        if hasWaiters.load(ordering: .sequentiallyConsistent) { serve() }
    }

    /// Ends the waiting for good.
    func close() {
        balance.store(Self.closed, ordering: .relaxed)
        let waiters = state.withLock { state in
            state.isClosed = true
            return exchange(&state.waiters, with: [])
        }
        for waiter in waiters { waiter.continuation.resume(returning: false) }
    }

    /// Takes one value off the demand, for a value that is sent in any case.
    func take() {
        balance.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Waits until there is demand and takes one value off it. Tasks are served in the order in which they wait.
    ///
    /// - Returns: False if the semaphore was closed, or if the task was cancelled while it waited.
    func wait() async -> Bool {
        if !hasWaiters.load(ordering: .relaxed), takeIfAvailable() { return true }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isClosed = state.withLock { state in
                    if state.isClosed { return true }
                    state.waiters.append(Waiter(id: id, continuation: continuation))
                    hasWaiters.store(true, ordering: .sequentiallyConsistent)
                    return false
                }
                if isClosed { return continuation.resume(returning: false) }
                serve()
                // The task may have been cancelled before it was among those that wait.
                if Task.isCancelled { dismiss(id) }
            }
        } onCancel: {
            dismiss(id)
        }
    }

    /// Resumes the tasks for whose values there is demand.
    private func serve() {
        let served = state.withLock { state in
            var count = 0
            while count < state.waiters.count, takeIfAvailable() { count += 1 }
            let served = Array(state.waiters.prefix(count))
            state.waiters.removeFirst(count)
            hasWaiters.store(!state.waiters.isEmpty, ordering: .sequentiallyConsistent)
            return served
        }
        for waiter in served { waiter.continuation.resume(returning: true) }
    }

    private func takeIfAvailable() -> Bool {
        var old = balance.load(ordering: .sequentiallyConsistent)
        while old > 0 {
            let (exchanged, found) = balance.weakCompareExchange(
                expected: old, desired: old - 1, ordering: .sequentiallyConsistent)
            if exchanged { return true }
            old = found
        }
        return false
    }

    /// Ends the waiting of one task.
    private func dismiss(_ id: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }
}
