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
struct FilterSubscriber<Downstream: Subscriber>: ForwardingSubscriber {
    @usableFromInline let downstream: Downstream
    @usableFromInline let isIncluded: @Sendable (Downstream.Input) -> Bool

    @inlinable
    init(downstream: Downstream, isIncluded: @escaping @Sendable (Downstream.Input) -> Bool) {
        self.downstream = downstream
        self.isIncluded = isIncluded
    }

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

extension Publisher {
    /// Passes on the values that fulfil a condition, which may throw, and that ends the stream.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   tryFilter { if $0 == 3 { throw E } else { $0.isMultiple(of: 2) } }
    /// ─────2──✕ E
    /// ```
    ///
    /// For every value left out another one is asked for. When the closure throws, the upstream is cancelled and the
    /// error delivered.
    ///
    /// - Parameter isIncluded: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryFilter(
        _ isIncluded: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryFilter<Self> {
        Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
    }
}

extension Publisher {
    /// Passes the values on that a condition holds for, which may throw the publisher's own type of failure.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryFilter(throwing: ParseError.self) { text throws(ParseError) in try isWanted(text) }
    /// ──1─────✕ ParseError
    /// ```
    ///
    /// **Demand.** For a value that is dropped another one is asked for.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream.
    ///
    /// **Cancellation and threads** are the upstream's.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - isIncluded: Called with each value.
    @preconcurrency
    @inlinable
    public func tryFilter(
        throwing errorType: Failure.Type,
        _ isIncluded: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryTransform<Self, Output> {
        Operators.TryTransform(upstream: self) { (value) throws(Failure) -> Output? in
            try isIncluded(value) ? value : nil
        }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryFilter(_:)`` makes.
    public struct TryFilter<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether a value is passed on.
        public let isIncluded: @Sendable (Upstream.Output) throws -> Bool

        /// Makes the publisher; ``Publisher/tryFilter(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, isIncluded: @escaping @Sendable (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                FilteringSubscriber(
                    "TryFilter", downstream: subscriber, filter: PredicateFilter(isIncluded), ending: .erasing))
        }
    }
}

extension Publishers.TryFilter: Sendable where Upstream: Sendable {}

/// Passes on what fulfils a condition.
@usableFromInline
struct PredicateFilter<Input, Thrown: Error>: ElementFilter {
    @usableFromInline let isIncluded: (Input) throws(Thrown) -> Bool

    @inlinable
    init(_ isIncluded: @escaping (Input) throws(Thrown) -> Bool) {
        self.isIncluded = isIncluded
    }

    @inlinable
    func decide(_ input: Input) throws(Thrown) -> Decision<Input> {
        try isIncluded(input) ? .pass(input) : .skip
    }
}

// Two conditions in a row are one operator: one subscriber on the way of each value instead of two.

extension Publishers.Filter {
    /// Passes on the values that fulfil a further condition as well.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   filter { $0 > 1 }.filter { $0 < 4 }
    /// ─────2──3─────|
    /// ```
    ///
    /// - Parameter isIncluded: Called with each value that fulfils the first condition, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.Filter<Upstream> {
        let first = self.isIncluded
        return Publishers.Filter(upstream: upstream) { first($0) && isIncluded($0) }
    }

    /// Passes on the values that fulfil a further condition as well; an error thrown ends the stream.
    ///
    /// - Parameter isIncluded: Called with each value that fulfils the first condition, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryFilter(
        _ isIncluded: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryFilter<Upstream> {
        let first = self.isIncluded
        return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
    }
}

extension Publishers.TryFilter {
    /// Passes on the values that fulfil a further condition as well.
    ///
    /// - Parameter isIncluded: Called with each value that fulfils the first condition, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.TryFilter<Upstream> {
        tryFilter(isIncluded)
    }

    /// Passes on the values that fulfil a further condition as well; an error thrown by either condition ends the
    /// stream.
    ///
    /// - Parameter isIncluded: Called with each value that fulfils the first condition, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryFilter(
        _ isIncluded: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryFilter<Upstream> {
        let first = self.isIncluded
        return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
    }
}
