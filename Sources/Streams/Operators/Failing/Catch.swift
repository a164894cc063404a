extension Publisher {
    /// Goes on with another publisher where this one fails.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   catch { _ in [8, 9].publisher }
    /// ──1──2──8──9──|
    /// ```
    ///
    /// Demand that the failed publisher left unanswered is passed on to the other one, whose completion is the
    /// stream's. Cancellation reaches the one that is current.
    ///
    /// - Parameter handler: Called at most once, with the failure, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func `catch`<P: Publisher>(
        _ handler: @escaping @Sendable (Failure) -> P
    ) -> Publishers.Catch<Self, P> where P.Output == Output {
        Publishers.Catch(upstream: self, handler: handler)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/catch(_:)`` makes.
    public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = NewPublisher.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher to go on with.
        public let handler: @Sendable (Upstream.Failure) -> NewPublisher

        /// Makes the publisher; ``Publisher/catch(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) -> NewPublisher) {
            self.upstream = upstream
            self.handler = handler
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                CatchingSubscriber(.catch, downstream: subscriber, handler: handler, ending: .passing))
        }
    }
}

extension Publishers.Catch: Sendable where Upstream: Sendable {}
