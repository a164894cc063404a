extension Publisher where Failure == Never {
    /// Gives a publisher that cannot fail a type of failure, so that it can be combined with others.
    ///
    /// ```
    /// ──1──2──|
    ///   setFailureType(to: E.self)
    /// ──1──2──|
    /// ```
    ///
    /// Demand, values, the completion and the cancellation pass through. All signals stay on the upstream's threads.
    ///
    /// - Parameter failureType: The type of failure.
    @inlinable
    public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
        Publishers.SetFailureType(upstream: self)
    }
}

extension Publishers {
    /// A publisher that declares a type of failure, and never fails.
    public struct SetFailureType<Upstream: Publisher, Failure: Error>: Publisher where Upstream.Failure == Never {
        public typealias Output = Upstream.Output

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates a publisher that gives another one a type of failure.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        /// Gives the same publisher another type of failure.
        ///
        /// - Parameter failure: The type of failure.
        @inlinable
        public func setFailureType<E: Error>(to failure: E.Type) -> Publishers.SetFailureType<Upstream, E> {
            Publishers.SetFailureType<Upstream, E>(upstream: upstream)
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            // The closure needs no body, since it cannot be called.
            upstream.subscribe(MapErrorSubscriber<Never, S>(downstream: subscriber) { _ -> Failure in })
        }

        @inlinable
        @inline(__always)
        public var _knownOutcome: Result<Output?, Failure>? { upstream._knownOutcome.map { .success($0.get()) } }
    }
}

extension Publishers.SetFailureType: Equatable where Upstream: Equatable {}
extension Publishers.SetFailureType: Sendable where Upstream: Sendable {}
