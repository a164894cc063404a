/// What an asynchronous iterator holds: when the last copy of the iterator goes, the subscription is cancelled.
///
/// The stream holds the subscriber, but not this.
@usableFromInline
final class AwaitedConsumer<Input, Failure: Error> {
    @usableFromInline let subscriber = AwaitedSubscriber<Input, Failure>()

    @inlinable
    init<P: Publisher>(_ publisher: P) where P.Output == Input, P.Failure == Failure {
        publisher.subscribe(subscriber)
    }

    deinit {
        subscriber.cancel()
    }

    @inlinable
    func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Input? {
        if Task.isCancelled { subscriber.cancel() }
        let turn =
            if let turn = subscriber.takeTurn() { turn } else { await wait(isolation: actor) }
        switch turn {
        case .value(let value): return value
        case .end(.finished): return nil
        case .end(.failure(let error)): throw error
        }
    }

    @inlinable
    func wait(isolation actor: isolated (any Actor)?) async -> AwaitedTurn<Input, Failure> {
        let subscriber = subscriber
        return await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: actor) { subscriber.awaitTurn($0) }
            },
            onCancel: { subscriber.cancel() },
            isolation: actor)
    }
}
