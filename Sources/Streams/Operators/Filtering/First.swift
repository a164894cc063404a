extension Publisher {
    /// Passes on the first value, and finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   first()
    /// ──1|
    /// ```
    ///
    /// The upstream is asked for everything at once and cancelled when a value has come, which is kept until the
    /// subscriber asks for it. A stream without values has no result. Cancellation and a failure pass through. The
    /// value comes on the thread that brings it or that asks for it.
    @inlinable
    public func first() -> Publishers.First<Self> {
        Publishers.First(upstream: self)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/first()`` makes.
    public struct First<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher; ``Publisher/first()`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber(
                    .first, downstream: subscriber, reducer: FirstMatch { _ in true }, ending: .passing))
        }
    }
}

extension Publishers.First: Equatable where Upstream: Equatable {}
extension Publishers.First: Sendable where Upstream: Sendable {}
