/// The state of an asynchronous iterator. Releasing the last copy of the iterator cancels the subscription.
///
/// The stream references the subscriber, but not this object.
@usableFromInline
final class AwaitingIterator<Input, Failure: Error> {
    @usableFromInline let subscriber: AwaitingSubscriber<Input, Failure>

    /// Cancels the subscriber. A closure is specialised where the iterator is created; a deinitializer is not.
    @usableFromInline let cancel: (AwaitingSubscriber<Input, Failure>) -> Void

    @inlinable
    convenience init<P: Publisher>(
        _ publisher: P, subscriber: AwaitingSubscriber<Input, Failure> = AwaitingSubscriber()
    ) where P.Output == Input, P.Failure == Failure {
        self.init(subscriber)
        publisher.subscribe(subscriber)
    }

    @inlinable
    init(_ subscriber: AwaitingSubscriber<Input, Failure>) {
        self.subscriber = subscriber
        cancel = { $0.cancel() }
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

/// A subscriber that pairs values with awaiting tasks, and queues whichever comes first. The queue of values may be
/// bounded.
///
/// Any thread may call it. Continuations are resumed, and the subscription is called and released, outside the lock.
@usableFromInline
// Safe because the state is guarded by the lock.
final class AwaitingSubscriber<Input, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
    @usableFromInline typealias Turn = NextResult<Input, Failure>
    @usableFromInline typealias Waiter = UnsafeContinuation<Turn, Never>

    /// The treatment of a value that has arrived.
    @usableFromInline
    enum Arrival {
        case awaited(Waiter)
        case handled
        /// The value is buffered in place of another one, which is released outside the lock.
        case replaced(Input)
        /// The value was dropped, and the stream is to fail with the error that the closure makes.
        case failed(@Sendable () -> Failure)
        /// The value came before any subscription.
        case early
    }

    @usableFromInline
    struct State {
        /// The upstream's subscription, from its arrival until the end.
        @usableFromInline var upstream: (any Subscription & AnyObject)?
        /// The number of values requested that have not arrived.
        @usableFromInline var outstanding = 0
        @usableFromInline var arrived = RingBuffer<Input>()
        /// The number of values to request before they are awaited.
        @usableFromInline var bufferSize = 0
        /// The strategy for values beyond the buffer's size, nil to buffer them.
        @usableFromInline var whenFull: Publishers.BufferingStrategy<Failure>?
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

        /// Counts a request for one value if fewer are outstanding than needed.
        ///
        /// - Parameter needed: The number of tasks that wait, and of values that the buffer has room for.
        /// - Returns: The subscription to send the request to, if there is one.
        @inlinable
        mutating func countRequest(needed: Int) -> (any Subscription & AnyObject)? {
            guard outstanding < needed else { return nil }
            outstanding += 1
            return upstream
        }

        /// The number of values that the buffer has room for.
        @inlinable var room: Int { bufferSize - arrived.count }

        /// Buffers a value, or applies the strategy if the buffer is full.
        @inlinable
        mutating func append(_ input: Input) -> Arrival {
            if let whenFull, arrived.count >= bufferSize {
                switch whenFull {
                case .customError(let makeError):
                    return .failed(makeError)
                case .dropOldest:
                    guard let oldest = arrived.popFirst() else { return .handled }
                    arrived.append(input)
                    return .replaced(oldest)
                case .dropNewest:
                    return .handled
                }
            }
            arrived.append(input)
            return .handled
        }
    }

    @usableFromInline let state: Locked<State>
    @usableFromInline let cancellation: Failure?
    @usableFromInline let isBounded: Bool

    /// Creates a subscriber that requests values when they are awaited, and buffers all others that come.
    ///
    /// - Parameter cancellation: The error that a cancelled task receives, nil for that of the failure's type.
    @inlinable
    init(cancellation: Failure? = nil) {
        state = Locked(State())
        self.cancellation = cancellation
        isBounded = false
    }

    /// Creates a subscriber with a bounded buffer, which it requests values for.
    @inlinable
    init(bufferSize: Int, whenFull: Publishers.BufferingStrategy<Failure>) {
        var state = State()
        // Within half of the range, so that sums of counts do not overflow.
        state.bufferSize = min(max(bufferSize, 0), .max / 2)
        state.outstanding = state.bufferSize
        state.whenFull = whenFull
        self.state = Locked(state)
        cancellation = nil
        isBounded = true
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
        let arrival = state.withLock { state -> Arrival in
            guard state.upstream != nil else { return state.isTerminal ? .handled : .early }
            if state.outstanding > 0 { state.outstanding -= 1 }
            if let waiter = state.waiters.popFirst() { return .awaited(waiter) }
            if isBounded { return state.append(input) }
            state.arrived.append(input)
            return .handled
        }
        switch arrival {
        case .handled, .replaced: break
        case .awaited(let waiter): waiter.resume(returning: .value(input))
        case .early: dismissWaiters()
        case .failed(let makeError): end(with: .failure(makeError()))?.cancel()
        }
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
        _ = end(with: completion)
    }

    /// Ends the stream after the values that have arrived.
    ///
    /// - Returns: The upstream's subscription, nil if the stream had ended before.
    @inlinable
    func end(with completion: Subscribers.Completion<Failure>) -> (any Subscription)? {
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
        guard var waiters = before?.waiters else { return nil }
        waiters.popFirst()?.resume(returning: .end(completion))
        waiters.resumeAll()
        return before?.upstream
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
        if isBounded { return takeBufferedTurn() }
        let (turn, upstream) = state.withLock { state in
            if let turn = state.takeTurn() { return (Turn?.some(turn), (any Subscription & AnyObject)?.none) }
            return (nil, state.countRequest(needed: state.waiters.count + 1))
        }
        guard let upstream else { return turn }
        upstream.request(.max(1))
        return state.withLock { $0.takeTurn() }
    }

    /// Returns the result of `next()` if it is buffered, and requests a value in its place. If there is none, as many as
    /// fit have been requested: one for this task, when it waits.
    @inlinable
    func takeBufferedTurn() -> Turn? {
        let (turn, upstream) = state.withLock { state in
            let turn = state.takeTurn()
            return (turn, turn == nil ? nil : state.countRequest(needed: state.room))
        }
        upstream?.request(.max(1))
        return turn
    }

    /// Resumes a task when there is a result for it.
    @inlinable
    func awaitTurn(_ waiter: Waiter) {
        let (turn, upstream) = state.withLock { state in
            if let turn = state.takeTurn() { return (Turn?.some(turn), state.countRequest(needed: state.room)) }
            state.waiters.append(waiter)
            // Another task may have taken the value that was requested for this one.
            return (nil, state.countRequest(needed: state.waiters.count + state.room))
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
