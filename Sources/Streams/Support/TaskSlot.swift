/// A task that is started at most once and can be cancelled before, during and after its start.
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

    /// Starts the task.
    ///
    /// - Parameter executor: The executor the task prefers, nil for the global pool.
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

    /// Cancels the task. Its cancellation handlers run on this thread.
    @usableFromInline
    func cancel() {
        let before = state.withLock { exchange(&$0, with: .cancelled) }
        if case .running(let task) = before { task.cancel() }
    }
}
