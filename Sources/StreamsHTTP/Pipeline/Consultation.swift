/// A task that asks interceptors on behalf of a subscription, which it keeps until it is answered or called off:
/// nothing else may.
final class Consultation: Cancellable, Sendable {
    typealias Input = @Sendable (inout ExchangeMachine) -> ExchangeMachine.Effects

    private struct State {
        var source: (any EventSource)?
        var task: Task<Void, Never>?
    }

    private let state: Locked<State>

    /// - Parameters:
    ///   - source: What the answer is an input of.
    ///   - ask: Asks, and makes an input of the answer.
    init(for source: any EventSource, _ ask: @escaping @Sendable () async -> Input) {
        state = Locked(State(source: source))
        let task = Task {
            let input = await ask()
            self.take()?.handle(input)
        }
        let isWanted = state.withLock { state in
            if state.source != nil { state.task = task }
            return state.source != nil
        }
        // It may have been answered meanwhile: then this does nothing.
        if !isWanted { task.cancel() }
    }

    func cancel() {
        let (source, task) = state.withLock { state in
            defer { state = State() }
            return (state.source, state.task)
        }
        task?.cancel()
        withExtendedLifetime(source) {}
    }

    private func take() -> (any EventSource)? {
        let (source, task) = state.withLock { state in
            defer { state = State() }
            return (state.source, state.task)
        }
        withExtendedLifetime(task) {}
        return source
    }
}
