extension Publisher {
    /// Transforms each value.
    ///
    /// ```
    /// ──1──2──3──|
    ///   map { $0 * 10 }
    /// ──10─20─30─|
    /// ```
    ///
    /// Demand, the completion and the cancellation pass through.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.Map<Self, T> {
        Publishers.Map(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher that transforms each value of its upstream.
    public struct Map<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms each value.
        public let transform: @Sendable (Upstream.Output) -> Output

        /// Creates a publisher that transforms each value of another one.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(MapSubscriber(downstream: subscriber, transform: transform))
        }
    }
}

extension Publishers.Map: Sendable where Upstream: Sendable {}

/// The subscriber of `map`. Its type does not depend on the upstream's: otherwise the types of a long chain would grow
/// with the square of its length, beyond what the compiler specialises.
@usableFromInline
struct MapSubscriber<Input, Downstream: Subscriber>: ForwardingSubscriber {
    @usableFromInline typealias Failure = Downstream.Failure

    @usableFromInline let downstream: Downstream
    @usableFromInline let transform: (Input) -> Downstream.Input

    @inlinable
    init(downstream: Downstream, transform: @escaping (Input) -> Downstream.Input) {
        self.downstream = downstream
        self.transform = transform
    }

    @inlinable
    @inline(__always)
    func receive(_ input: Input) -> Subscribers.Demand {
        downstream.receive(transform(input))
    }
}

extension Publisher {
    /// Transforms each value with a closure that can throw.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryMap { if $0 == 3 { throw E } else { $0 * 10 } }
    /// ──10─20─✕ E
    /// ```
    ///
    /// Like `map(_:)`. An error that the closure throws cancels the upstream and becomes the failure.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func tryMap<T>(_ transform: @escaping @Sendable (Output) throws -> T) -> Publishers.TryMap<Self, T> {
        Publishers.TryMap(upstream: self, transform: transform)
    }

    /// Transforms each value with a closure that can throw the publisher's type of failure.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryMap(throwing: ParseError.self) { text throws(ParseError) in try parse(text) }
    /// ──a──b──✕ ParseError
    /// ```
    ///
    /// Like ``tryMap(_:)``, but the failure keeps its type. A publisher that cannot fail gets a type of failure
    /// from ``setFailureType(to:)``.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func tryMap<T>(
        throwing errorType: Failure.Type, _ transform: @escaping @Sendable (Output) throws(Failure) -> T
    ) -> Operators.TryTransform<Self, T> {
        Operators.TryTransform("TryMap", upstream: self) { (value) throws(Failure) -> T? in try transform(value) }
    }
}

extension Publishers {
    /// A publisher that transforms each value of its upstream with a closure that can throw.
    public struct TryMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms each value.
        public let transform: @Sendable (Upstream.Output) throws -> Output

        /// Creates a publisher that transforms each value of another one with a closure that can throw.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws -> Output) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.erasingFailure.tryMap(throwing: (any Error).self, transform).receive(subscriber: subscriber)
        }
    }
}

extension Publishers.TryMap: Sendable where Upstream: Sendable {}

// Transformations in a row are one operator, so each value passes one subscriber instead of several.

extension Publishers.Map {
    /// Transforms each value further. See ``Publisher/map(_:)->Publishers.Map<Self,T>``.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.Map<Upstream, T> {
        let first = self.transform
        return Publishers.Map<Upstream, T>(upstream: upstream) { transform(first($0)) }
    }

    /// Transforms each value further with a closure that can throw. See ``Publisher/tryMap(_:)``.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func tryMap<T>(_ transform: @escaping @Sendable (Output) throws -> T) -> Publishers.TryMap<Upstream, T> {
        let first = self.transform
        return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
    }
}

extension Publishers.TryMap {
    /// Transforms each value further.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.TryMap<Upstream, T> {
        tryMap(transform)
    }

    /// Transforms each value further with a closure that can throw. See ``Publisher/tryMap(_:)``.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func tryMap<T>(_ transform: @escaping @Sendable (Output) throws -> T) -> Publishers.TryMap<Upstream, T> {
        let first = self.transform
        return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
    }
}
