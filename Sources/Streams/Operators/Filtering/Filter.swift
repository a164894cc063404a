extension Publisher {
    /// Publishes the values that satisfy a condition.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   filter { $0.isMultiple(of: 2) }
    /// ─────2─────4──|
    /// ```
    ///
    /// The completion and the cancellation pass through.
    ///
    /// **Demand.** For each dropped value the operator requests another one.
    ///
    /// - Parameter isIncluded: A closure that returns whether to publish a value, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self, isIncluded: isIncluded)
    }
}

extension Publishers {
    /// A publisher of the values of its upstream that satisfy a condition.
    public struct Filter<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether to publish a value.
        public let isIncluded: @Sendable (Upstream.Output) -> Bool

        /// Creates a publisher of the values of another one that satisfy a condition.
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

/// The subscriber of `filter`. Its type does not depend on the upstream's: otherwise the types of a long chain would
/// grow with the square of its length, beyond what the compiler specialises.
@usableFromInline
struct FilterSubscriber<Downstream: Subscriber>: ForwardingSubscriber {
    @usableFromInline typealias Failure = Downstream.Failure

    @usableFromInline let downstream: Downstream
    @usableFromInline let isIncluded: @Sendable (Downstream.Input) -> Bool

    @inlinable
    init(downstream: Downstream, isIncluded: @escaping @Sendable (Downstream.Input) -> Bool) {
        self.downstream = downstream
        self.isIncluded = isIncluded
    }

    @inlinable
    @inline(__always)
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        isIncluded(input) ? downstream.receive(input) : .max(1)
    }
}
