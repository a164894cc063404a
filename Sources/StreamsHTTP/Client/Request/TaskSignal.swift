/// A signal that one task waits for, any number of times. One that comes before the task waits is kept.
struct TaskSignal: ~Copyable, Sendable {
    // Swift 6.3 cannot compile the callers if this is private: the size of the signal depends on it.
    struct State {
        var continuation: UnsafeContinuation<Void, Never>?
        var isSignalled = false
    }

    private let state = Locked(State())

    /// Resumes a continuation at the next signal, or at once if one has come. This is no asynchronous function: each
    /// waiting task would keep its frame.
    func wait(_ continuation: UnsafeContinuation<Void, Never>) {
        let isSignalled = state.withLock { state in
            if !state.isSignalled { state.continuation = continuation }
            return exchange(&state.isSignalled, with: false)
        }
        if isSignalled { continuation.resume() }
    }

    func signal() {
        let continuation = state.withLock { state in
            if state.continuation == nil { state.isSignalled = true }
            return state.continuation.take()
        }
        continuation?.resume()
    }
}
