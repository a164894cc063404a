/// The state of an asynchronous iterator. Releasing the last copy of the iterator cancels the subscription.
///
/// The stream references the subscriber, but not this object.
@usableFromInline
final class AwaitingIterator<Input, Failure: Error> {
    @usableFromInline let subscriber = AwaitingSubscriber<Input, Failure>()

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
    func wait(isolation actor: isolated (any Actor)?) async -> NextResult<Input, Failure> {
        let subscriber = subscriber
        return await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: actor) { subscriber.awaitTurn($0) }
            },
            onCancel: { subscriber.cancel() },
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
        @usableFromInline var subscription: (any Subscription)?
        @usableFromInline var hasSubscribed = false
        /// Whether the source drops values without demand, so that all were requested at the start.
        @usableFromInline var takesEverything = false
        /// Whether only this subscriber sends requests to the source.
        @usableFromInline var isSoleAsker = false
        /// The number of values requested one by one that have not arrived.
        @usableFromInline var outstanding = 0
        @usableFromInline var arrived = RingBuffer<Input>()
        @usableFromInline var waiters = RingBuffer<Waiter>()
        @usableFromInline var isTerminal = false
        /// Whether a value has come without a subscription, and none since, so that no task is to wait.
        @usableFromInline var isBroken = false
        /// The failure, until it has been thrown.
        @usableFromInline var failure: Failure?

        @inlinable
        init() {}

        /// Returns the result of `next()` if it need not wait.
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
        mutating func askForOne(needed: Int) -> (any Subscription)? {
            guard !takesEverything, outstanding < needed else { return nil }
            outstanding += 1
            return subscription
        }
    }

    @usableFromInline let state = Locked(State())

    @inlinable
    init() {}

    @usableFromInline
    func receive(subscription: any Subscription) {
        let takesEverything = dropsUnrequestedValues(subscription)
        let isSoleAsker = !(subscription is any BackpressureTraits)
        let demand: Subscribers.Demand? = state.withLock { state in
            guard !state.hasSubscribed, !state.isTerminal else { return nil }
            state.hasSubscribed = true
            state.isBroken = false
            state.subscription = subscription
            state.takesEverything = takesEverything
            state.isSoleAsker = isSoleAsker
            return takesEverything ? .unlimited : .max(state.outstanding)
        }
        guard let demand else { return subscription.cancel() }
        if demand > .none { subscription.request(demand) }
        // An operator may subscribe later to a source that drops values, though the present one does not.
        if !takesEverything { keepUnrequestedValues(subscription) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        let (isEarly, waiter): (Bool, Waiter?) = state.withLock { state in
            guard state.hasSubscribed else { return (true, nil) }
            guard !state.isTerminal else { return (false, nil) }
            if state.outstanding > 0 {
                state.outstanding -= 1
            } else if state.isSoleAsker {
                return (false, nil)
            }
            if let waiter = state.waiters.popFirst() { return (false, waiter) }
            state.arrived.append(input)
            return (false, nil)
        }
        waiter?.resume(returning: .value(input))
        if isEarly { dismissWaiters() }
        return .none
    }

    /// Ends the wait of all tasks, because the source has sent a value before its subscription (rule 9).
    @usableFromInline
    func dismissWaiters() {
        var waiters = state.withLock { state in
            state.isBroken = true
            return exchange(&state.waiters, with: RingBuffer())
        }
        waiters.resumeAll()
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
        let before = state.withLock { state -> State? in
            guard !state.isTerminal else { return nil }
            let before = state
            state.end()
            // Tasks wait only if no value is left. The first of them receives the completion.
            if before.waiters.isEmpty {
                state.arrived = before.arrived
                if case .failure(let error) = completion { state.failure = error }
            }
            return before
        }
        guard var waiters = before?.waiters else { return }
        waiters.popFirst()?.resume(returning: .end(completion))
        waiters.resumeAll()
    }

    @usableFromInline
    func cancel() {
        let before = state.withLock { state in
            let before = state
            state.end()
            return before
        }
        before.subscription?.cancel()
        var waiters = before.waiters
        waiters.resumeAll()
    }

    /// Returns the result of `next()` if there is one, after a request for a value if there is none: a source may deliver it from
    /// inside that.
    @inlinable
    func takeTurn() -> Turn? {
        let (turn, subscription) = state.withLock { state in
            if let turn = state.takeTurn() { return (Turn?.some(turn), (any Subscription)?.none) }
            return (nil, state.askForOne(needed: state.waiters.count + 1))
        }
        guard let subscription else { return turn }
        subscription.request(.max(1))
        return state.withLock { $0.takeTurn() }
    }

    /// Resumes a task when there is a result for it.
    @inlinable
    func awaitTurn(_ waiter: Waiter) {
        let (turn, subscription) = state.withLock { state in
            if let turn = state.takeTurn() { return (Turn?.some(turn), (any Subscription)?.none) }
            state.waiters.append(waiter)
            // Another task may have taken the value that was requested for this one.
            return (nil, state.askForOne(needed: state.waiters.count))
        }
        if let turn { waiter.resume(returning: turn) }
        subscription?.request(.max(1))
    }
}

extension AwaitingSubscriber.State {
    mutating func end() {
        self = AwaitingSubscriber.State()
        hasSubscribed = true
        isTerminal = true
    }
}

extension RingBuffer {
    fileprivate mutating func resumeAll<Input, Failure>()
    where Element == UnsafeContinuation<NextResult<Input, Failure>, Never> {
        while let waiter = popFirst() { waiter.resume(returning: .end(.finished)) }
    }
}
