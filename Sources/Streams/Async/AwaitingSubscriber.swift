/// The state of an asynchronous iterator. Releasing the last copy of the iterator cancels the subscription.
///
/// The stream references the subscriber, but not this object.
@usableFromInline
final class AwaitingIterator<Input, Failure: Error> {
    @usableFromInline let subscriber: AwaitingSubscriber<Input, Failure>

    /// Cancels the subscriber. A closure is specialised where the iterator is created; a deinitializer is not.
    @usableFromInline let cancel: (AwaitingSubscriber<Input, Failure>) -> Void

    /// - Parameter cancellation: The error that a cancelled task receives, nil for that of the failure's type.
    @inlinable
    init<P: Publisher>(
        _ publisher: P, cancellation: Failure? = nil
    ) where P.Output == Input, P.Failure == Failure {
        subscriber = AwaitingSubscriber(cancellation: cancellation)
        cancel = { $0.cancel() }
        publisher.subscribe(subscriber)
    }

    deinit {
        cancel(subscriber)
    }

    @inlinable
    func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Input? {
        if Task.isCancelled { subscriber.cancelTask() }
        let turn =
            if let turn = subscriber.takeTurn() { turn } else { await wait(isolation: actor) }
        switch turn {
        case .value(let value): return value
        case .end(.finished): return nil
        case .end(.failure(let error)): throw error
        }
    }

    @inlinable
    func wait(isolation actor: isolated (any Actor)?) async -> NextResult<Input, Failure> {
        let subscriber = subscriber
        return await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: actor) { subscriber.awaitTurn($0) }
            },
            onCancel: { subscriber.cancelTask() },
            isolation: actor)
    }
}

/// The result of one call of `next()`.
@usableFromInline
// Safe because one thread or task at a time uses it.
enum NextResult<Input, Failure: Error>: @unchecked Sendable {
    case value(Input)
    case end(Subscribers.Completion<Failure>)
}

/// A subscriber that pairs values with awaiting tasks, and queues whichever comes first.
///
/// Any thread may call it. Continuations are resumed, and the subscription is called and released, outside the lock.
@usableFromInline
// Safe because the state is guarded by the lock.
final class AwaitingSubscriber<Input, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
    @usableFromInline typealias Turn = NextResult<Input, Failure>
    @usableFromInline typealias Waiter = UnsafeContinuation<Turn, Never>

    @usableFromInline
    struct State {
        /// The upstream's subscription, from its arrival until the end.
        @usableFromInline var upstream: (any Subscription & AnyObject)?
        /// The number of values requested that have not arrived.
        @usableFromInline var outstanding = 0
        @usableFromInline var arrived = RingBuffer<Input>()
        @usableFromInline var waiters = RingBuffer<Waiter>()
        @usableFromInline var isTerminal = false
        /// Whether a value arrived before any subscription. Until a subscription arrives, `next()` returns nil.
        @usableFromInline var isBroken = false
        /// The failure, until it has been thrown.
        @usableFromInline var failure: Failure?

        @inlinable
        init() {}

        /// Returns the result of `next()` if it is available.
        @inlinable
        mutating func takeTurn() -> Turn? {
            if let value = arrived.popFirst() { return .value(value) }
            if isBroken { return .end(.finished) }
            guard isTerminal else { return nil }
            if let failure = failure.take() { return .end(.failure(failure)) }
            return .end(.finished)
        }

        /// Counts a request for one value if fewer are outstanding than tasks wait.
        ///
        /// - Parameter needed: The number of tasks that wait.
        /// - Returns: The subscription to send the request to, if there is one.
        @inlinable
        mutating func countRequest(needed: Int) -> (any Subscription & AnyObject)? {
            guard outstanding < needed else { return nil }
            outstanding += 1
            return upstream
        }
    }

    @usableFromInline let state = Locked(State())
    @usableFromInline let cancellation: Failure?

    @inlinable
    init(cancellation: Failure?) {
        self.cancellation = cancellation
    }

    @inlinable
    func receive(subscription: any Subscription) {
        let subscription = subscription._object
        let outstanding: Int? = state.withLock { state in
            guard state.upstream == nil, !state.isTerminal else { return nil }
            state.isBroken = false
            state.upstream = subscription
            return state.outstanding
        }
        guard let outstanding else { return subscription.cancel() }
        if outstanding > 0 { subscription.request(.max(outstanding)) }
    }

    @inlinable var needsEveryValue: Bool { true }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        let (isEarly, waiter): (Bool, Waiter?) = state.withLock { state in
            guard state.upstream != nil else { return (!state.isTerminal, nil) }
            if state.outstanding > 0 { state.outstanding -= 1 }
            if let waiter = state.waiters.popFirst() { return (false, waiter) }
            state.arrived.append(input)
            return (false, nil)
        }
        waiter?.resume(returning: .value(input))
        if isEarly { dismissWaiters() }
        return .none
    }

    /// Ends the wait of all tasks, because the source has sent a value before its subscription (rule 9).
    @inlinable
    func dismissWaiters() {
        var waiters = state.withLock { state in
            state.isBroken = true
            return exchange(&state.waiters, with: RingBuffer())
        }
        waiters.resumeAll()
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        let before = state.withLock { state -> State? in
            guard !state.isTerminal else { return nil }
            var before = state.end()
            // Tasks wait only if no value is left. The first of them receives the completion.
            if before.waiters.isEmpty {
                swap(&state.arrived, &before.arrived)
                if case .failure(let error) = completion { state.failure = error }
            }
            return before
        }
        guard var waiters = before?.waiters else { return }
        waiters.popFirst()?.resume(returning: .end(completion))
        waiters.resumeAll()
    }

    @inlinable
    func cancel() {
        finish(with: nil)
    }

    /// Cancels the subscription for a cancelled task. If the stream is not over, the tasks that wait receive the error of
    /// the cancellation, or the next call of `next()` does.
    @inlinable
    func cancelTask() {
        finish(with: cancellation ?? (Failure.self as? any CancellationRepresentable.Type)?.cancellation as? Failure)
    }

    @inlinable
    func finish(with failure: Failure?) {
        let before = state.withLock { state in
            let before = state.end()
            if !before.isOver, before.waiters.isEmpty { state.failure = failure }
            return before
        }
        before.upstream?.cancel()
        var waiters = before.waiters
        let end: Subscribers.Completion<Failure> = if let failure { .failure(failure) } else { .finished }
        waiters.resumeAll(returning: end)
    }

    /// Returns the result of `next()` if it is available. Otherwise requests a value, which a source may deliver from
    /// inside the request.
    @inlinable
    func takeTurn() -> Turn? {
        let (turn, upstream) = state.withLock { state in
            if let turn = state.takeTurn() { return (Turn?.some(turn), (any Subscription & AnyObject)?.none) }
            return (nil, state.countRequest(needed: state.waiters.count + 1))
        }
        guard let upstream else { return turn }
        upstream.request(.max(1))
        return state.withLock { $0.takeTurn() }
    }

    /// Resumes a task when there is a result for it.
    @inlinable
    func awaitTurn(_ waiter: Waiter) {
        let (turn, upstream) = state.withLock { state in
            if let turn = state.takeTurn() { return (Turn?.some(turn), (any Subscription & AnyObject)?.none) }
            state.waiters.append(waiter)
            // Another task may have taken the value that was requested for this one.
            return (nil, state.countRequest(needed: state.waiters.count))
        }
        if let turn { waiter.resume(returning: turn) }
        upstream?.request(.max(1))
    }
}

extension AwaitingSubscriber.State {
    /// Whether the stream has ended and nothing is left to deliver.
    @inlinable var isOver: Bool { isTerminal && arrived.isEmpty && failure == nil }

    /// Ends the stream.
    ///
    /// - Returns: The state before, to be released outside the lock.
    @inlinable
    mutating func end() -> Self {
        let before = exchange(&self, with: Self())
        isTerminal = true
        return before
    }
}

extension RingBuffer {
    @inlinable
    mutating func resumeAll<Input, Failure>(returning end: Subscribers.Completion<Failure> = .finished)
    where Element == UnsafeContinuation<NextResult<Input, Failure>, Never> {
        while let waiter = popFirst() { waiter.resume(returning: .end(end)) }
    }
}
