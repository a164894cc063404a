extension Publisher {
    /// Transforms each value, and drops the results that are nil.
    ///
    /// ```
    /// ──"1"──"x"──"3"──|
    ///   compactMap { Int($0) }
    /// ───1─────────3───|
    /// ```
    ///
    /// The completion and the cancellation pass through.
    ///
    /// **Demand.** For each dropped result the operator requests another value.
    ///
    /// - Parameter transform: A closure that returns the new value or nil, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func compactMap<T>(_ transform: @escaping @Sendable (Output) -> T?) -> Publishers.CompactMap<Self, T> {
        Publishers.CompactMap(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher that transforms each value of its upstream, and drops the results that are nil.
    public struct CompactMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms each value, or drops it by returning nil.
        public let transform: @Sendable (Upstream.Output) -> Output?

        /// Creates a publisher that transforms each value of another one, and drops the results that are nil.
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
        @usableFromInline typealias Failure = Upstream.Failure

        @usableFromInline let downstream: Downstream
        @usableFromInline let transform: @Sendable (Upstream.Output) -> Output?

        @inlinable
        init(downstream: Downstream, transform: @escaping @Sendable (Upstream.Output) -> Output?) {
            self.downstream = downstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard let output = transform(input) else { return .max(1) }
            return downstream.receive(output)
        }
    }
}

extension Publisher {
    /// Transforms each value with a closure that can throw, and drops the results that are nil.
    ///
    /// ```
    /// ──"1"──"x"──""───|
    ///   tryCompactMap { if $0.isEmpty { throw E } else { Int($0) } }
    /// ───1─────────✕ E
    /// ```
    ///
    /// Like ``compactMap(_:)``. An error that the closure throws cancels the upstream and becomes the failure.
    ///
    /// - Parameter transform: A closure that returns the new value or nil, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func tryCompactMap<T>(
        _ transform: @escaping @Sendable (Output) throws -> T?
    ) -> Publishers.TryCompactMap<Self, T> {
        Publishers.TryCompactMap(upstream: self, transform: transform)
    }

    /// Transforms each value with a closure that throws a typed error, and drops the results that are nil.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryCompactMap(throwing: ParseError.self) { text throws(ParseError) in try number(text) }
    /// ──1─────✕ ParseError
    /// ```
    ///
    /// Like ``tryCompactMap(_:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - transform: A closure that returns the new value or nil, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func tryCompactMap<T>(
        throwing errorType: Failure.Type, _ transform: @escaping @Sendable (Output) throws(Failure) -> T?
    ) -> Operators.TryTransform<Self, T> {
        Operators.TryTransform("TryCompactMap", upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher that transforms each value with a closure that can throw, and drops the results that are nil.
    public struct TryCompactMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms each value, or drops it by returning nil.
        public let transform: @Sendable (Upstream.Output) throws -> Output?

        /// Creates a publisher that transforms each value of another one, and drops the results that are nil.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws -> Output?) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.erasingFailure.tryCompactMap(throwing: (any Error).self, transform)
                .receive(subscriber: subscriber)
        }
    }
}

extension Publishers.TryCompactMap: Sendable where Upstream: Sendable {}

// Transformations in a row are one operator, so each value passes one subscriber instead of several.

extension Publishers.CompactMap {
    /// Transforms the remaining values further, and drops the results that are nil. See ``Publisher/compactMap(_:)``.
    ///
    /// - Parameter transform: A closure that returns the new value or nil, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func compactMap<T>(_ transform: @escaping @Sendable (Output) -> T?) -> Publishers.CompactMap<Upstream, T> {
        let first = self.transform
        return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).flatMap(transform) }
    }

    /// Transforms the remaining values further.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.CompactMap<Upstream, T> {
        let first = self.transform
        return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).map(transform) }
    }
}

extension Publishers.TryCompactMap {
    /// Transforms the remaining values further with a closure that can throw, and drops the results that are nil. See
    /// ``Publisher/tryCompactMap(_:)``.
    ///
    /// - Parameter transform: A closure that returns the new value or nil, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func compactMap<T>(
        _ transform: @escaping @Sendable (Output) throws -> T?
    ) -> Publishers.TryCompactMap<Upstream, T> {
        let first = self.transform
        return Publishers.TryCompactMap<Upstream, T>(upstream: upstream) { try first($0).flatMap(transform) }
    }
}
