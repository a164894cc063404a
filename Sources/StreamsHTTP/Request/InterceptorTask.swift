/// A task that calls interceptors for a subscription. Only the task keeps the subscription alive until it finishes or
/// is cancelled.
final class InterceptorTask: Cancellable, Sendable {
    private struct State {
        var subscription: RequestSubscription?
        var task: Task<Void, Never>?
    }

    private let state: Locked<State>

    /// - Parameters:
    ///   - subscription: The subscription that handles the result.
    ///   - generation: The generation of the result.
    ///   - executor: The preferred executor of the task; `nil` for the global pool.
    ///   - operation: Calls the interceptors.
    init(
        for subscription: RequestSubscription, _ generation: Int, on executor: (any TaskExecutor)?,
        _ operation: @escaping @Sendable () async -> RequestStateMachine.Input
    ) {
        state = Locked(State(subscription: subscription))
        let task = Task(executorPreference: executor) {
            let input = await operation()
            self.take().subscription?.handle(input, generation: generation)
        }
        let isWanted = state.withLock { state in
            if state.subscription != nil { state.task = task }
            return state.subscription != nil
        }
        // If the task has finished meanwhile, this does nothing.
        if !isWanted { task.cancel() }
    }

    func cancel() {
        take().task?.cancel()
    }

    private func take() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
