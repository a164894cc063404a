/// What an asynchronous iterator holds: when the last copy of the iterator goes, the subscription is cancelled.
///
/// The stream holds the subscriber, but not this.
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

/// What one call of `next()` comes to.
@usableFromInline
// Safe because it is in the hands of one thread or task at a time.
enum NextResult<Input, Failure: Error>: @unchecked Sendable {
    case value(Input)
    case end(Subscribers.Completion<Failure>)
}

/// Brings values and awaiting tasks together: whichever comes first is kept until the other is there.
///
/// Continuations are resumed, and the subscription is called and released, outside the lock.
@usableFromInline
// Safe because what changes is behind the lock.
final class AwaitingSubscriber<Input, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
    @usableFromInline typealias Turn = NextResult<Input, Failure>
    @usableFromInline typealias Waiter = UnsafeContinuation<Turn, Never>

    @usableFromInline
    struct State {
        @usableFromInline var subscription: (any Subscription)?
        @usableFromInline var hasSubscribed = false
        /// Whether values that nobody asked for would be lost, so that all were asked for at the start.
        @usableFromInline var takesEverything = false
        /// Whether nothing but this subscriber asks the source for values.
        @usableFromInline var isSoleAsker = false
        /// How many values were asked for one by one and have not arrived.
        @usableFromInline var outstanding = 0
        @usableFromInline var arrived = RingBuffer<Input>()
        @usableFromInline var waiters = RingBuffer<Waiter>()
        @usableFromInline var isTerminal = false
        /// Whether a value has come without a subscription, and none since: nobody is to wait for another one.
        @usableFromInline var isBroken = false
        /// The failure, until it has been thrown.
        @usableFromInline var failure: Failure?

        @inlinable
        init() {}

        /// What `next()` can return without waiting.
        @inlinable
        mutating func takeTurn() -> Turn? {
            if let value = arrived.popFirst() { return .value(value) }
            if isBroken { return .end(.finished) }
            guard isTerminal else { return nil }
            if let failure = failure.take() { return .end(.failure(failure)) }
            return .end(.finished)
        }

        /// Counts one more value as asked for, if fewer are on their way than there are tasks that need one.
        ///
        /// - Parameter needed: How many tasks need one.
        /// - Returns: What to ask for it, if there is a subscription already.
        @inlinable
        mutating func askForOne(needed: Int) -> (any Subscription)? {
            guard !takesEverything, outstanding < needed else { return nil }
            outstanding += 1
            return subscription
        }
    }

    /// What becomes of a value that arrives.
    @usableFromInline
    enum Arrival {
        case welcome
        /// There is no subscription yet.
        case early
        case unwanted
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
        // What the operators subscribe to later may drop values that a source which is there now does not.
        if !takesEverything { keepUnrequestedValues(subscription) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        let (arrival, waiter): (Arrival, Waiter?) = state.withLock { state in
            guard state.hasSubscribed else { return (.early, nil) }
            guard !state.isTerminal else { return (.welcome, nil) }
            if state.outstanding > 0 {
                state.outstanding -= 1
            } else if state.isSoleAsker {
                return (.unwanted, nil)
            }
            if let waiter = state.waiters.popFirst() { return (.welcome, waiter) }
            state.arrived.append(input)
            return (.welcome, nil)
        }
        switch arrival {
        case .welcome: waiter?.resume(returning: .value(input))
        case .early: dismissWaiters()
        case .unwanted: preconditionFailure("a source delivered a value that it had not been asked for")
        }
        return .none
    }

    /// Ends the wait of all tasks, because of a source that breaks the contract: none waits in vain (rule 9). A
    /// subscription may follow, as in Combine.
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
            // Only when no values are left can a task be waiting: the first one is told.
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

    /// What there is for a call of `next()` right away. If there is nothing yet, a value is asked for: a source that
    /// has one at hand delivers it from inside this.
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

    /// Resumes a task when there is something for it.
    @inlinable
    func awaitTurn(_ waiter: Waiter) {
        let (turn, subscription) = state.withLock { state in
            if let turn = state.takeTurn() { return (Turn?.some(turn), (any Subscription)?.none) }
            state.waiters.append(waiter)
            // Another task may have taken the value that was asked for on behalf of this one.
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
