/// A scheduler that counts the work of other threads, so that a test can wait for the end of that work.
///
/// Code that has such a scheduler runs its tasks with the scheduler as their preferred executor, and everything else that
/// it would run on a system thread by ``runConcurrently(_:)``.
package protocol WorkTracking: TaskExecutor {
    /// Runs an action on a system thread.
    func runConcurrently(_ action: @escaping @Sendable () -> Void)

    /// Runs an action once, after a delay, unless the result is cancelled or released before. The action is not counted
    /// among those that a test waits for.
    func scheduleUncounted(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable & Sendable
}
