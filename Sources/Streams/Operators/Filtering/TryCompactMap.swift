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
                GatingSubscriber(
                    .tryCompactMap, downstream: subscriber, gate: Transformation(transform), ending: .erasing,
                    rules: .filtering, portrait: .subscriber))
        }
    }
}

extension Publishers.TryCompactMap: Sendable where Upstream: Sendable {}
