/// Performs an operation on the caller's actor, with a closure that is called at once when the task is cancelled.
///
/// `withTaskCancellationHandler` runs its operation on no actor, unless the operation is isolated to one: called from the
/// main actor, it switches threads twice. It is the one to use where the operation is not to occupy the actor.
///
/// - Parameters:
///   - actor: The caller's actor.
///   - operation: The operation.
///   - onCancel: Called on any thread, also before the operation.
/// - Returns: The result of the operation.
package func withCancellationHandler<Result>(
    isolation actor: isolated (any Actor)? = #isolation, operation: nonisolated(nonsending) () async -> Result,
    onCancel: @Sendable () -> Void
) async -> Result {
    await withTaskCancellationHandler(
        operation: {
            // A closure that captures the isolated parameter is isolated to the same actor.
            _ = actor
            return await operation()
        }, onCancel: onCancel, isolation: actor)
}
