/// The subscriber of the operators that decide for each value whether to pass it on, and can end the stream early:
/// `removeDuplicates`, `distinct`, `drop(while:)`, `prefix(while:)`, and all operators with a closure that throws.
///
/// An operator provides its decision as a value, an ``ElementFilter``. The filter's type of failure is that of the
/// upstream and of the downstream. An operator that throws any error subscribes to an upstream with an erased failure
/// (`Publisher.erasingFailure`), so it shares the filter with the form that cannot throw and with the typed one.
///
/// The subscriber and its filter belong to the upstream's serial signals. Requests and cancellation use the link.
@usableFromInline
struct FilteringSubscriber<Filter: ElementFilter, Downstream: Subscriber>: LinkedSubscriber
where Downstream.Input == Filter.Output, Downstream.Failure == Filter.Failure {
    @usableFromInline typealias Failure = Filter.Failure

    @usableFromInline let downstream: Downstream
    @usableFromInline let filter: Filter
    @usableFromInline let link: UpstreamLink

    /// - Parameters:
    ///   - name: The operator's name, as `print()` writes it.
    ///   - downstream: The subscriber of the operator.
    ///   - filter: The filter of this subscription.
    @inlinable
    init(_ name: String, downstream: Downstream, filter: Filter) {
        self.downstream = downstream
        self.filter = filter
        link = UpstreamLink(name)
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
            if link.complete(cancellingUpstream: true) { downstream.receive(completion: .failure(error)) }
        }
        return .none
    }
}

/// The decision of an operator about each value. Its state, if there is any, is a ``SerialState``.
@usableFromInline
protocol ElementFilter<Input, Output, Failure> {
    associatedtype Input
    associatedtype Output
    associatedtype Failure: Error

    func decide(_ input: Input) throws(Failure) -> Decision<Output>
}

/// The action of an operator on a value.
@usableFromInline
enum Decision<Output> {
    /// Delivers the value, or the value it was transformed into.
    case pass(Output)

    /// Drops the value and requests another one.
    case skip

    /// Drops the value, cancels the upstream and finishes.
    case finish
}

/// A filter that consists of a closure.
@usableFromInline
struct ClosureFilter<Input, Output, Failure: Error>: ElementFilter {
    @usableFromInline let decision: (Input) throws(Failure) -> Decision<Output>

    @inlinable
    init(_ decision: @escaping (Input) throws(Failure) -> Decision<Output>) {
        self.decision = decision
    }

    @inlinable
    func decide(_ input: Input) throws(Failure) -> Decision<Output> {
        try decision(input)
    }
}

/// A filter that delivers the results of a closure that are not nil.
@usableFromInline
struct TransformFilter<Input, Output, Failure: Error>: ElementFilter {
    @usableFromInline let transform: (Input) throws(Failure) -> Output?

    @inlinable
    init(_ transform: @escaping (Input) throws(Failure) -> Output?) {
        self.transform = transform
    }

    @inlinable
    func decide(_ input: Input) throws(Failure) -> Decision<Output> {
        guard let output = try transform(input) else { return .skip }
        return .pass(output)
    }
}

/// A filter that delivers the results of a closure that can throw any error.
///
/// It stores the closure as it was passed to the operator: converting it to a closure that returns an optional or throws
/// an error of a generic type takes an allocation for each subscription.
@usableFromInline
struct MapFilter<Input, Output>: ElementFilter {
    @usableFromInline let transform: (Input) throws -> Output

    @inlinable
    init(_ transform: @escaping (Input) throws -> Output) {
        self.transform = transform
    }

    @inlinable
    func decide(_ input: Input) throws -> Decision<Output> {
        .pass(try transform(input))
    }
}

/// A filter that delivers the values for which a closure that can throw any error returns true. It stores the closure
/// like a ``MapFilter``.
@usableFromInline
struct PredicateFilter<Input>: ElementFilter {
    @usableFromInline let isIncluded: (Input) throws -> Bool

    @inlinable
    init(_ isIncluded: @escaping (Input) throws -> Bool) {
        self.isIncluded = isIncluded
    }

    @inlinable
    func decide(_ input: Input) throws -> Decision<Input> {
        try isIncluded(input) ? .pass(input) : .skip
    }
}
