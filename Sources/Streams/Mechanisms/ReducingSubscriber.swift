/// The subscriber of an operator that reduces a stream to one value, such as `reduce`, `count` or `first`.
///
/// It requests all values of the upstream and passes them to a ``Reducer``. A ``ScalarSubscription`` delivers the
/// result when it is certain and the downstream has requested it. The completion of a stream without a result waits for
/// demand as well; a failure does not.
///
/// The reducer's state belongs to the upstream's serial signals.
@usableFromInline
struct ReducingSubscriber<Reduction: Reducer, Failure: Error, Downstream: Subscriber>: LinkedSubscriber
where Downstream.Input == Reduction.Output {
    @usableFromInline typealias Input = Reduction.Input

    @usableFromInline let downstream: Downstream
    @usableFromInline let reducer: Reduction
    @usableFromInline let mapping: CompletionMapping<Failure, Reduction.Thrown, Downstream.Failure>
    @usableFromInline let result: ScalarSubscription<Downstream>
    @usableFromInline let link: ScalarLink

    /// - Parameters:
    ///   - name: The operator's name, as `print()` writes it.
    ///   - downstream: The subscriber that receives the result.
    ///   - reducer: The reducer of this subscription alone.
    ///   - mapping: The type of the downstream's failure.
    @inlinable
    init(
        _ name: String, downstream: Downstream, reducer: Reduction,
        mapping: CompletionMapping<Failure, Reduction.Thrown, Downstream.Failure>
    ) {
        self.downstream = downstream
        self.reducer = reducer
        self.mapping = mapping
        result = ScalarSubscription(name, downstream: downstream)
        link = ScalarLink(result, forwardsDemand: false)
    }

    @inlinable
    func receive(subscription: any Subscription) {
        guard link.attach(subscription) else { return }
        downstream.receive(subscription: link)
        // Nil if the downstream has cancelled.
        link.upstream?.request(.unlimited)
    }

    @inlinable
    func receive(_ input: Reduction.Input) -> Subscribers.Demand {
        guard link.isActive else { return .none }
        do {
            if let output = try reducer.take(input), link.complete(cancellingUpstream: true) {
                result.resolve(.value(output))
            }
        } catch {
            if link.complete(cancellingUpstream: true) {
                result.resolve(.completion(.failure(mapping.failure(error))))
            }
        }
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        guard link.complete() else { return }
        switch completion {
        case .finished: result.resolve(reducer.finish().map { .value($0) } ?? .nothing)
        case .failure: result.resolve(.completion(mapping.completion(completion)))
        }
    }
}

/// The strategy of a reducing operator: takes the values and returns the result. ``ReducingSubscriber`` does the rest.
@usableFromInline
protocol Reducer<Input, Output, Thrown> {
    associatedtype Input
    associatedtype Output

    /// The type of error that taking a value can throw: `Never`, any error, or the upstream's failure.
    associatedtype Thrown: Error

    /// Takes a value of the upstream.
    ///
    /// - Returns: The result, if no further value can change it. That ends the stream.
    func take(_ input: Input) throws(Thrown) -> Output?

    /// Returns the result when there are no more values, if there is one. Called at most once.
    func finish() -> Output?
}

extension Operators {
    /// A publisher that reduces a stream to one value with a closure that can throw the upstream's type of failure.
    ///
    /// ``Publisher/tryReduce(throwing:_:_:)`` and its like create it.
    public struct TryReduction<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        @usableFromInline let name: String
        @usableFromInline let makeReducer: () -> ErasedReducer<Upstream.Output, Output, Failure>

        /// - Parameters:
        ///   - name: The operator's name.
        ///   - upstream: The publisher to subscribe to.
        ///   - reducer: A closure called once for each subscription. Its captures are `Sendable` or of type `Output`.
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
                ReducingSubscriber(name, downstream: subscriber, reducer: makeReducer(), mapping: .keeping))
        }
    }
}

// Safe because the closure captures the operators' `@Sendable` closures and values of type `Output` alone.
extension Operators.TryReduction: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}

/// A reducer of any type, so that ``Operators/TryReduction`` is one type for all operators.
@usableFromInline
struct ErasedReducer<Input, Output, Thrown: Error>: Reducer {
    @usableFromInline let taking: (Input) throws(Thrown) -> Output?
    @usableFromInline let finishing: () -> Output?

    @inlinable
    init<Reduction: Reducer>(_ reducer: Reduction)
    where Reduction.Input == Input, Reduction.Output == Output, Reduction.Thrown == Thrown {
        taking = { (input: Input) throws(Thrown) -> Output? in try reducer.take(input) }
        finishing = { reducer.finish() }
    }

    @inlinable
    func take(_ input: Input) throws(Thrown) -> Output? {
        try taking(input)
    }

    @inlinable
    func finish() -> Output? {
        finishing()
    }
}
