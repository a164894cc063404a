/// Holds a task that is to be started at most once, and may be cancelled before, while or after that happens.
@usableFromInline
final class TaskSlot: Sendable {
    private enum State {
        case empty
        case running(Task<Void, Never>)
        case cancelled
    }

    private let state = Locked(State.empty)

    @usableFromInline
    init() {}

    /// Starts a task.
    ///
    /// - Parameter executor: Where it runs, nil for the global pool.
    @usableFromInline
    func start(
        priority: TaskPriority?, executor: (any TaskExecutor)?, _ operation: @escaping @Sendable () async -> Void
    ) {
        let isCancelled = state.withLock { if case .cancelled = $0 { true } else { false } }
        if isCancelled { return }
        let task = Task(executorPreference: executor, priority: priority) { await operation() }
        let isLate = state.withLock { state in
            if case .cancelled = state { return true }
            state = .running(task)
            return false
        }
        if isLate { task.cancel() }
    }

    /// Cancels the task. Its handlers of cancellation run on this thread.
    @usableFromInline
    func cancel() {
        let before = state.withLock { exchange(&$0, with: .cancelled) }
        if case .running(let task) = before { task.cancel() }
    }
}
