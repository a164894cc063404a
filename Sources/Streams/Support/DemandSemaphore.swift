/// Where a task waits for demand.
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

    /// Lets so many more through.
    func admit(_ demand: Subscribers.Demand) {
        let waiter = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
            state.demand += demand
            guard state.waiter != nil, state.takeOne() == true else { return nil }
            return state.waiter.take()
        }
        waiter?.resume(returning: true)
    }

    /// Lets nobody through any more.
    func close() {
        let waiter = state.withLock { state in
            state.isClosed = true
            return state.waiter.take()
        }
        waiter?.resume(returning: false)
    }

    /// Waits until there is demand, and takes one off it. For one task at a time.
    ///
    /// - Returns: False if this has been closed.
    func pass() async -> Bool {
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
