extension Publisher {
    /// Transforms the values, and leaves out those that come to nothing.
    ///
    /// ```
    /// ──"1"──"x"──"3"──|
    ///   compactMap { Int($0) }
    /// ───1─────────3───|
    /// ```
    ///
    /// For every value left out another one is asked for. Cancellation and the completion pass through.
    ///
    /// - Parameter transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func compactMap<T>(
        _ transform: @escaping @Sendable (Output) -> T?
    ) -> Publishers.CompactMap<Self, T> {
        Publishers.CompactMap(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/compactMap(_:)`` makes.
    public struct CompactMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What becomes of a value.
        public let transform: @Sendable (Upstream.Output) -> Output?

        /// Makes the publisher; ``Publisher/compactMap(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output?) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, transform: transform))
        }
    }
}

extension Publishers.CompactMap: Sendable where Upstream: Sendable {}

extension Publishers.CompactMap {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: ForwardingSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let transform: @Sendable (Upstream.Output) -> Output?

        @inlinable
        init(downstream: Downstream, transform: @escaping @Sendable (Upstream.Output) -> Output?) {
            self.downstream = downstream
            self.transform = transform
        }

        @inlinable
        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        @inlinable
        @inline(__always)
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard let output = transform(input) else { return .max(1) }
            return downstream.receive(output)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            downstream.receive(completion: completion)
        }
    }
}

extension Publisher {
    /// Transforms the values with a closure that may throw, which ends the stream, and leaves out those that come to
    /// nothing.
    ///
    /// ```
    /// ──"1"──"x"──""───|
    ///   tryCompactMap { if $0.isEmpty { throw E } else { Int($0) } }
    /// ───1─────────✕ E
    /// ```
    ///
    /// For every value left out another one is asked for. When the closure throws, the upstream is cancelled and the
    /// error delivered.
    ///
    /// - Parameter transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryCompactMap<T>(
        _ transform: @escaping @Sendable (Output) throws -> T?
    ) -> Publishers.TryCompactMap<Self, T> {
        Publishers.TryCompactMap(upstream: self, transform: transform)
    }
}

extension Publisher {
    /// Transforms every value by a closure that may throw the publisher's own type of failure, and drops the results
    /// that are nil.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryCompactMap(throwing: ParseError.self) { text throws(ParseError) in try number(text) }
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
    ///   - transform: Called with each value.
    @preconcurrency
    @inlinable
    public func tryCompactMap<T>(
        throwing errorType: Failure.Type,
        _ transform: @escaping @Sendable (Output) throws(Failure) -> T?
    ) -> Operators.TryTransform<Self, T> {
        Operators.TryTransform(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryCompactMap(_:)`` makes.
    public struct TryCompactMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What becomes of a value.
        public let transform: @Sendable (Upstream.Output) throws -> Output?

        /// Makes the publisher; ``Publisher/tryCompactMap(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws -> Output?) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                FilteringSubscriber(
                    "TryCompactMap", downstream: subscriber, filter: TransformFilter(transform), ending: .erasing))
        }
    }
}

extension Publishers.TryCompactMap: Sendable where Upstream: Sendable {}

// A transformation of what is transformed already is one operator: one subscriber on the way of each value instead of
// two.

extension Publishers.CompactMap {
    /// Transforms the values that are left further, and leaves out those that become nil.
    ///
    /// ```
    /// ──"1"──"x"──"3"──"4"──|
    ///   compactMap(Int.init).compactMap { $0.isMultiple(of: 2) ? $0 * 10 : nil }
    /// ──────────────────40──|
    /// ```
    ///
    /// - Parameter transform: Called with each value that is left, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func compactMap<T>(
        _ transform: @escaping @Sendable (Output) -> T?
    ) -> Publishers.CompactMap<Upstream, T> {
        let first = self.transform
        return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).flatMap(transform) }
    }

    /// Transforms the values that are left further.
    ///
    /// - Parameter transform: Called with each value that is left, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.CompactMap<Upstream, T> {
        let first = self.transform
        return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).map(transform) }
    }
}

extension Publishers.TryCompactMap {
    /// Transforms the values that are left further, and leaves out those that become nil; an error thrown by either
    /// transformation ends the stream.
    ///
    /// - Parameter transform: Called with each value that is left, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func compactMap<T>(
        _ transform: @escaping @Sendable (Output) throws -> T?
    ) -> Publishers.TryCompactMap<Upstream, T> {
        let first = self.transform
        return Publishers.TryCompactMap<Upstream, T>(upstream: upstream) { try first($0).flatMap(transform) }
    }
}
