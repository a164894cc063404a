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
            link = .keeping(foreignObject(downstream), .tryMap)
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            let output: Output
            do {
                output = try transform(input)
            } catch {
                if link.cancelUpstream() { downstream.receive(completion: .failure(error)) }
                return .none
            }
            return downstream.receive(output)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.finish() { downstream.receive(completion: completion.erasingFailure()) }
        }
    }
}
