extension Publisher {
    /// Passes on the values that fulfil a condition.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   filter { $0.isMultiple(of: 2) }
    /// ─────2─────4──|
    /// ```
    ///
    /// For every value left out another one is asked for. Cancellation and the completion pass through.
    ///
    /// - Parameter isIncluded: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self, isIncluded: isIncluded)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/filter(_:)`` makes.
    public struct Filter<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether a value is passed on.
        public let isIncluded: @Sendable (Upstream.Output) -> Bool

        /// Makes the publisher; ``Publisher/filter(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, isIncluded: @escaping @Sendable (Upstream.Output) -> Bool) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(FilterSubscriber(downstream: subscriber, isIncluded: isIncluded))
        }
    }
}

extension Publishers.Filter: Sendable where Upstream: Sendable {}

/// The receiving half. Its type does not tell what is upstream, see `MapSubscriber`.
@usableFromInline
struct FilterSubscriber<Downstream: Subscriber>: PassingSubscriber {
    @usableFromInline let downstream: Downstream
    @usableFromInline let isIncluded: @Sendable (Downstream.Input) -> Bool

    @inlinable
    init(downstream: Downstream, isIncluded: @escaping @Sendable (Downstream.Input) -> Bool) {
        self.downstream = downstream
        self.isIncluded = isIncluded
    }

    @usableFromInline var name: OperatorName { .filter }

    @inlinable
    func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
    }

    @inlinable
    @inline(__always)
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        isIncluded(input) ? downstream.receive(input) : .max(1)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        downstream.receive(completion: completion)
    }
}
