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

extension Publisher {
    /// Publishes the values that satisfy a condition that can throw.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   tryFilter { if $0 == 3 { throw E } else { $0.isMultiple(of: 2) } }
    /// ─────2──✕ E
    /// ```
    ///
    /// Like ``filter(_:)``. An error that the closure throws cancels the upstream and becomes the failure.
    ///
    /// - Parameter isIncluded: A closure that returns whether to publish a value, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws -> Bool) -> Publishers.TryFilter<Self> {
        Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
    }

    /// Publishes the values that satisfy a condition that can throw the publisher's type of failure.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryFilter(throwing: ParseError.self) { text throws(ParseError) in try isWanted(text) }
    /// ──1─────✕ ParseError
    /// ```
    ///
    /// Like ``tryFilter(_:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - isIncluded: A closure that returns whether to publish a value, called on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryFilter(
        throwing errorType: Failure.Type, _ isIncluded: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryTransform<Self, Output> {
        Operators.TryTransform("TryFilter", upstream: self) { (value) throws(Failure) -> Output? in
            try isIncluded(value) ? value : nil
        }
    }
}

extension Publishers {
    /// A publisher of the values of its upstream that satisfy a condition that can throw.
    public struct TryFilter<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether to publish a value.
        public let isIncluded: @Sendable (Upstream.Output) throws -> Bool

        /// Creates a publisher of the values of another one that satisfy a condition that can throw.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, isIncluded: @escaping @Sendable (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.erasingFailure.tryFilter(throwing: (any Error).self, isIncluded).receive(subscriber: subscriber)
        }
    }
}

extension Publishers.TryFilter: Sendable where Upstream: Sendable {}

// Conditions in a row are one operator, so each value passes one subscriber instead of several.

extension Publishers.Filter {
    /// Publishes the values that also satisfy another condition. See ``Publisher/filter(_:)``.
    ///
    /// - Parameter isIncluded: A closure that returns whether to publish a value that satisfies the first condition.
    @preconcurrency
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.Filter<Upstream> {
        let first = self.isIncluded
        return Publishers.Filter(upstream: upstream) { first($0) && isIncluded($0) }
    }

    /// Publishes the values that also satisfy another condition that can throw. See ``Publisher/tryFilter(_:)``.
    ///
    /// - Parameter isIncluded: A closure that returns whether to publish a value that satisfies the first condition.
    @preconcurrency
    @inlinable
    public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws -> Bool) -> Publishers.TryFilter<Upstream> {
        let first = self.isIncluded
        return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
    }
}

extension Publishers.TryFilter {
    /// Publishes the values that also satisfy another condition.
    ///
    /// - Parameter isIncluded: A closure that returns whether to publish a value that satisfies the first condition.
    @preconcurrency
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.TryFilter<Upstream> {
        tryFilter(isIncluded)
    }

    /// Publishes the values that also satisfy another condition that can throw. See ``Publisher/tryFilter(_:)``.
    ///
    /// - Parameter isIncluded: A closure that returns whether to publish a value that satisfies the first condition.
    @preconcurrency
    @inlinable
    public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws -> Bool) -> Publishers.TryFilter<Upstream> {
        let first = self.isIncluded
        return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
    }
}
