extension Publishers {
    /// The publisher of the operators that make one value out of many and throw the upstream's own type of failure:
    /// ``Publisher/tryReduce(throwing:_:_:)`` and its like.
    public struct TryReduction<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        @usableFromInline let name: OperatorName

        /// Makes what takes in the values of one subscription.
        @usableFromInline let makeReducer: () -> ErasedReduction<Upstream.Output, Output, Failure>

        /// - Parameters:
        ///   - name: The operator's name.
        ///   - upstream: Where the values come from.
        ///   - reducer: Called for each subscription, on the thread that subscribes. What it captures must be
        ///     `Sendable` unless it is of type `Output`.
        @inlinable
        init<Reducer: Reduction>(_ name: OperatorName, upstream: Upstream, reducer: @escaping () -> Reducer)
        where Reducer.Input == Upstream.Output, Reducer.Output == Output, Reducer.Thrown == Failure {
            self.name = name
            self.upstream = upstream
            makeReducer = { ErasedReduction(reducer()) }
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
extension Publishers.TryReduction: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}

/// A reduction of any kind, so that the operators' publisher has one type. It is made once a subscription.
@usableFromInline
struct ErasedReduction<Input, Output, Thrown: Error>: Reduction {
    @usableFromInline let taking: (Input) throws(Thrown) -> Output?
    @usableFromInline let concluding: () -> Output?

    @inlinable
    init<Reducer: Reduction>(_ reducer: Reducer)
    where Reducer.Input == Input, Reducer.Output == Output, Reducer.Thrown == Thrown {
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
