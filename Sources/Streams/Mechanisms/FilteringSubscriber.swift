/// What an operator does with a value.
@usableFromInline
enum Decision<Output> {
    /// Pass on what has become of it.
    case pass(Output)

    /// Leave it out, and ask for another one.
    case skip

    /// Leave it out and finish.
    case finish
}

/// What is particular to an operator that passes values on, as they are or transformed, or not. It belongs to the
/// upstream's serial signals.
@usableFromInline
protocol ElementFilter<Input, Output, Thrown> {
    associatedtype Input
    associatedtype Output

    /// What deciding a value may throw: `Never`, any error, or the upstream's type of failure.
    associatedtype Thrown: Error

    func decide(_ input: Input) throws(Thrown) -> Decision<Output>
}

/// The receiving half of the operators that pass values on or not.
@usableFromInline
struct FilteringSubscriber<Filter: ElementFilter, Failure: Error, Downstream: Subscriber>: LinkedSubscriber
where Downstream.Input == Filter.Output {
    @usableFromInline typealias Input = Filter.Input

    @usableFromInline let downstream: Downstream
    @usableFromInline let filter: Filter
    @usableFromInline let link: UpstreamLink
    @usableFromInline let ending: CompletionMapping<Failure, Filter.Thrown, Downstream.Failure>

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - filter: Belongs to this subscription alone.
    @inlinable
    init(
        _ name: String,
        downstream: Downstream,
        filter: Filter,
        ending: CompletionMapping<Failure, Filter.Thrown, Downstream.Failure>
    ) {
        self.downstream = downstream
        self.filter = filter
        self.ending = ending
        link = OperatorSubscription(name)
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { downstream.receive(subscription: link) }
    }

    @inlinable
    func receive(_ input: Filter.Input) -> Subscribers.Demand {
        guard link.isActive else { return .none }
        do {
            switch try filter.decide(input) {
            case .pass(let output): return downstream.receive(output)
            case .skip: return .max(1)
            case .finish: if link.complete(cancellingUpstream: true) { downstream.receive(completion: .finished) }
            }
        } catch {
            if link.complete(cancellingUpstream: true) {
                downstream.receive(completion: .failure(ending.failure(error)))
            }
        }
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if link.complete() { downstream.receive(completion: ending.completion(completion)) }
    }
}

extension Operators {
    /// The publisher of the operators that pass values on or transform them, remember something from one value to the
    /// next, and throw the upstream's own type of failure: ``Publisher/tryScan(throwing:_:_:)`` and its like.
    public struct TryStatefulTransform<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        @usableFromInline let name: String

        /// Makes what judges the values of one subscription.
        @usableFromInline let makeFilter: () -> ErasedFilter<Upstream.Output, Output, Failure>

        /// - Parameters:
        ///   - name: The operator's name.
        ///   - upstream: Where the values come from.
        ///   - filter: Called for each subscription, on the thread that subscribes. What it captures must be `Sendable`
        ///     unless it is of type `Output`.
        @inlinable
        init<Filter: ElementFilter>(_ name: String, upstream: Upstream, filter: @escaping () -> Filter)
        where Filter.Input == Upstream.Output, Filter.Output == Output, Filter.Thrown == Failure {
            self.name = name
            self.upstream = upstream
            makeFilter = { ErasedFilter(filter()) }
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                FilteringSubscriber(
                    name, downstream: subscriber, filter: makeFilter(), ending: .keeping))
        }
    }
}

// Safe because the closure is one of the operators': it captures `@Sendable` closures, and values of type `Output`.
extension Operators.TryStatefulTransform: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}

/// A filter of any kind, so that the operators' publisher has one type. It is made once a subscription.
@usableFromInline
struct ErasedFilter<Input, Output, Thrown: Error>: ElementFilter {
    @usableFromInline let deciding: (Input) throws(Thrown) -> Decision<Output>

    @inlinable
    init<Filter: ElementFilter>(_ filter: Filter)
    where Filter.Input == Input, Filter.Output == Output, Filter.Thrown == Thrown {
        deciding = { (input: Input) throws(Thrown) -> Decision<Output> in try filter.decide(input) }
    }

    @inlinable
    func decide(_ input: Input) throws(Thrown) -> Decision<Output> {
        try deciding(input)
    }
}
