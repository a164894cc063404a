extension Publisher {
    /// Transforms every value.
    ///
    /// ```
    /// ──1──2──3──|
    ///   map { $0 * 10 }
    /// ──10─20─30─|
    /// ```
    ///
    /// Demand, cancellation and the completion pass through.
    ///
    /// - Parameter transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.Map<Self, T> {
        Publishers.Map(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/map(_:)->Publishers.Map<Self,T>`` makes.
    public struct Map<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What is done to each value.
        public let transform: @Sendable (Upstream.Output) -> Output

        /// Makes the publisher; ``Publisher/map(_:)->Publishers.Map<Self,T>`` is the usual way to it.
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

/// The receiving half. Its type does not tell what is upstream: those of long chains would grow with the square of
/// their length, and beyond what the compiler specialises.
@usableFromInline
struct MapSubscriber<Input, Downstream: Subscriber>: ForwardingSubscriber {
    @usableFromInline let downstream: Downstream
    @usableFromInline let transform: @Sendable (Input) -> Downstream.Input

    @inlinable
    init(downstream: Downstream, transform: @escaping @Sendable (Input) -> Downstream.Input) {
        self.downstream = downstream
        self.transform = transform
    }

    @inlinable
    func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
    }

    @inlinable
    @inline(__always)
    func receive(_ input: Input) -> Subscribers.Demand {
        downstream.receive(transform(input))
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        downstream.receive(completion: completion)
    }
}

extension Publisher {
    /// Transforms every value with a closure that may throw, which ends the stream.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryMap { if $0 == 3 { throw E } else { $0 * 10 } }
    /// ──10─20─✕ E
    /// ```
    ///
    /// Demand and cancellation pass through. When the closure throws, the upstream is cancelled and the error
    /// delivered.
    ///
    /// - Parameter transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryMap<T>(_ transform: @escaping @Sendable (Output) throws -> T) -> Publishers.TryMap<Self, T> {
        Publishers.TryMap(upstream: self, transform: transform)
    }
}

extension Publisher {
    /// Transforms every value by a closure that may throw the publisher's own type of failure.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryMap(throwing: ParseError.self) { text throws(ParseError) in try parse(text) }
    /// ──a──b──✕ ParseError
    /// ```
    ///
    /// In contrast to ``tryMap(_:)`` the failure keeps its type, so no cast is needed further down. A publisher that
    /// cannot fail gets a type of failure by ``setFailureType(to:)`` first.
    ///
    /// **Demand, cancellation and threads** are the upstream's.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - transform: Called with each value.
    @preconcurrency
    @inlinable
    public func tryMap<T>(
        throwing errorType: Failure.Type,
        _ transform: @escaping @Sendable (Output) throws(Failure) -> T
    ) -> Operators.TryTransform<Self, T> {
        Operators.TryTransform(upstream: self) { (value) throws(Failure) -> T? in try transform(value) }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryMap(_:)`` makes.
    public struct TryMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What is done to each value.
        public let transform: @Sendable (Upstream.Output) throws -> Output

        /// Makes the publisher; ``Publisher/tryMap(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws -> Output) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(Inner(downstream: subscriber, transform: transform))
        }
    }
}

extension Publishers.TryMap: Sendable where Upstream: Sendable {}

extension Publishers.TryMap {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Output, Downstream.Failure == any Error {
        @usableFromInline let downstream: Downstream
        @usableFromInline let transform: @Sendable (Upstream.Output) throws -> Output
        @usableFromInline let link: UpstreamLink

        @inlinable
        init(downstream: Downstream, transform: @escaping @Sendable (Upstream.Output) throws -> Output) {
            self.downstream = downstream
            self.transform = transform
            link = OperatorSubscription("TryMap")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let output: Output
            do {
                output = try transform(input)
            } catch {
                if link.complete(cancellingUpstream: true) { downstream.receive(completion: .failure(error)) }
                return .none
            }
            return downstream.receive(output)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { downstream.receive(completion: completion.erasingFailure()) }
        }
    }
}

// A transformation of what is transformed already is one operator: one subscriber on the way of each value instead of
// two.

extension Publishers.Map {
    /// Transforms every value further.
    ///
    /// ```
    /// ──1──2──3──|
    ///   map { $0 * 10 }.map { $0 + 1 }
    /// ──11─21─31─|
    /// ```
    ///
    /// - Parameter transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.Map<Upstream, T> {
        let first = self.transform
        return Publishers.Map<Upstream, T>(upstream: upstream) { transform(first($0)) }
    }

    /// Transforms every value further; an error thrown ends the stream.
    ///
    /// - Parameter transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryMap<T>(_ transform: @escaping @Sendable (Output) throws -> T) -> Publishers.TryMap<Upstream, T> {
        let first = self.transform
        return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
    }
}

extension Publishers.TryMap {
    /// Transforms every value further.
    ///
    /// - Parameter transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.TryMap<Upstream, T> {
        tryMap(transform)
    }

    /// Transforms every value further; an error thrown by either transformation ends the stream.
    ///
    /// - Parameter transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryMap<T>(_ transform: @escaping @Sendable (Output) throws -> T) -> Publishers.TryMap<Upstream, T> {
        let first = self.transform
        return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
    }
}
