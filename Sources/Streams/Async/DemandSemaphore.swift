/// A semaphore that suspends a task until there is demand.
final class DemandSemaphore: Sendable {
    private struct State: Sendable {
        var demand = Subscribers.Demand.none
        var waiter: UnsafeContinuation<Bool, Never>?
        var isClosed = false

        mutating func takeOne() -> Bool? {
            if isClosed { return false }
            guard demand > .none else { return nil }
            demand -= 1
            return true
        }
    }

    private let state = Locked(State())

    /// Adds demand.
    func signal(_ demand: Subscribers.Demand) {
        let waiter = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
            state.demand += demand
            guard state.waiter != nil, state.takeOne() == true else { return nil }
            return state.waiter.take()
        }
        waiter?.resume(returning: true)
    }

    /// Ends the waiting for good.
    func close() {
        let waiter = state.withLock { state in
            state.isClosed = true
            return state.waiter.take()
        }
        waiter?.resume(returning: false)
    }

    /// Waits until there is demand and takes one value off it. One task at a time may wait.
    ///
    /// - Returns: False if the semaphore was closed.
    func wait() async -> Bool {
        if let isOpen = state.withLock({ $0.takeOne() }) { return isOpen }
        return await withUnsafeContinuation { continuation in
            let isOpen = state.withLock { state in
                let isOpen = state.takeOne()
                if isOpen == nil { state.waiter = continuation }
                return isOpen
            }
            if let isOpen { continuation.resume(returning: isOpen) }
        }
    }
}
