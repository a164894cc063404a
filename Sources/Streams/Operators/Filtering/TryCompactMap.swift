extension Publisher {
    /// Transforms the values with a closure that may throw, which ends the stream, and leaves out those that come to nothing.
    ///
    /// ```
    /// ──"1"──"x"──""───|
    ///   tryCompactMap { if $0.isEmpty { throw E } else { Int($0) } }
    /// ───1─────────✕ E
    /// ```
    ///
    /// For every value left out another one is asked for. When the closure throws, the upstream is cancelled and the error
    /// delivered.
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

extension Publishers {
    /// The publisher that ``Publisher/tryCompactMap(_:)`` makes.
    public struct TryCompactMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = any Error

        public let upstream: Upstream

        /// What becomes of a value.
        public let transform: @Sendable (Upstream.Output) throws -> Output?

        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws -> Output?) {
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

extension Publishers.TryCompactMap: Sendable where Upstream: Sendable {}

extension Publishers.TryCompactMap {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Output, Downstream.Failure == any Error {
        @usableFromInline let downstream: Downstream
        @usableFromInline let transform: @Sendable (Upstream.Output) throws -> Output?
        @usableFromInline let link: UpstreamLink

        @inlinable
        init(downstream: Downstream, transform: @escaping @Sendable (Upstream.Output) throws -> Output?) {
            self.downstream = downstream
            self.transform = transform
            link = UpstreamLink(
                "TryCompactMap", keeping: foreignObject(downstream), rules: .filtering, portrait: .subscriber)
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return link.refuse() }
            let output: Output
            do {
                guard let transformed = try transform(input) else { return .max(1) }
                output = transformed
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
