/// The receiving half of the operators that make one value out of many.
///
/// The upstream is asked for everything at once. The result is delivered when it is certain and the subscriber has
/// asked for it, and so is the completion of a stream that has none; a failure does not wait.
@usableFromInline
struct ReducingSubscriber<Reduction: Reducer, Failure: Error, Downstream: Subscriber>: LinkedSubscriber
where Downstream.Input == Reduction.Output {
    @usableFromInline typealias Input = Reduction.Input

    @usableFromInline let downstream: Downstream
    @usableFromInline let reducer: Reduction
    @usableFromInline let outcome: OneShotSubscription<Downstream>
    @usableFromInline let link: UpstreamLink
    @usableFromInline let ending: CompletionMapping<Failure, Reduction.Thrown, Downstream.Failure>

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - reducer: Belongs to this subscription alone.
    @inlinable
    init(
        _ name: String,
        downstream: Downstream,
        reducer: Reduction,
        ending: CompletionMapping<Failure, Reduction.Thrown, Downstream.Failure>
    ) {
        self.downstream = downstream
        self.reducer = reducer
        self.ending = ending
        outcome = OneShotSubscription(name, downstream: downstream)
        link = OperatorSubscription(name)
    }

    @inlinable
    func receive(subscription: any Subscription) {
        guard link.attach(subscription) else { return }
        downstream.receive(subscription: OutcomeSubscription(outcome: outcome, link: link))
        // Not only what the subscriber asks for: it takes many values to make one.
        if link.isActive { link.request(.unlimited) }
    }

    @inlinable
    func receive(_ input: Reduction.Input) -> Subscribers.Demand {
        guard link.isActive else { return .none }
        do {
            if let result = try reducer.take(input), link.complete(cancellingUpstream: true) {
                outcome.resolve(.value(result))
            }
        } catch {
            if link.complete(cancellingUpstream: true) { outcome.resolve(.end(.failure(ending.failure(error)))) }
        }
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        guard link.complete() else { return }
        switch completion {
        case .finished: outcome.resolve(reducer.conclude().map { .value($0) } ?? .nothing)
        case .failure: outcome.resolve(.end(ending.completion(completion)))
        }
    }
}

/// What is particular to an operator that makes one value out of many: how values are taken in, and what comes of them.
///
/// What all such operators have in common is in ``ReducingSubscriber``. A reduction belongs to the upstream's serial
/// signals.
@usableFromInline
protocol Reducer<Input, Output, Thrown> {
    associatedtype Input
    associatedtype Output

    /// What taking a value in may throw: `Never`, any error, or the upstream's type of failure.
    associatedtype Thrown: Error

    /// Takes a value in.
    ///
    /// - Returns: The result, if it is certain already, whatever comes after. That ends the stream.
    func take(_ input: Input) throws(Thrown) -> Output?

    /// The result when there are no more values, if there is any. Asked for once.
    func conclude() -> Output?
}

extension Operators {
    /// The publisher of the operators that make one value out of many and throw the upstream's own type of failure:
    /// ``Publisher/tryReduce(throwing:_:_:)`` and its like.
    public struct TryReduction<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        @usableFromInline let name: String

        /// Makes what takes in the values of one subscription.
        @usableFromInline let makeReducer: () -> ErasedReducer<Upstream.Output, Output, Failure>

        /// - Parameters:
        ///   - name: The operator's name.
        ///   - upstream: Where the values come from.
        ///   - reducer: Called for each subscription, on the thread that subscribes. What it captures must be
        ///     `Sendable` unless it is of type `Output`.
        @inlinable
        init<Reduction: Reducer>(_ name: String, upstream: Upstream, reducer: @escaping () -> Reduction)
        where Reduction.Input == Upstream.Output, Reduction.Output == Output, Reduction.Thrown == Failure {
            self.name = name
            self.upstream = upstream
            makeReducer = { ErasedReducer(reducer()) }
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber(name, downstream: subscriber, reducer: makeReducer(), ending: .keeping))
        }
    }
}

// Safe because the closure is one of the operators': it captures `@Sendable` closures, and values of type `Output`.
extension Operators.TryReduction: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}

/// A reduction of any kind, so that the operators' publisher has one type. It is made once a subscription.
@usableFromInline
struct ErasedReducer<Input, Output, Thrown: Error>: Reducer {
    @usableFromInline let taking: (Input) throws(Thrown) -> Output?
    @usableFromInline let concluding: () -> Output?

    @inlinable
    init<Reduction: Reducer>(_ reducer: Reduction)
    where Reduction.Input == Input, Reduction.Output == Output, Reduction.Thrown == Thrown {
        taking = { (input: Input) throws(Thrown) -> Output? in try reducer.take(input) }
        concluding = { reducer.conclude() }
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Output? {
        try taking(input)
    }

    @inlinable
    func conclude() -> Output? {
        concluding()
    }
}
