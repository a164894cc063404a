extension Publisher {
    /// Goes on with another publisher where this one fails, or fails with the error that is thrown instead of making
    /// one.
    ///
    /// ```
    /// ──1──2──✕ A
    ///   tryCatch { error in if error == A { throw B } else { Just(9) } }
    /// ──1──2──✕ B
    /// ```
    ///
    /// Demand that the failed publisher left unanswered is passed on to the other one, whose completion is the
    /// stream's. Cancellation reaches the one that is current.
    ///
    /// - Parameter handler: Called at most once, with the failure, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryCatch<P: Publisher>(
        _ handler: @escaping @Sendable (Failure) throws -> P
    ) -> Publishers.TryCatch<Self, P> where P.Output == Output {
        Publishers.TryCatch(upstream: self, handler: handler)
    }

    /// Goes on with another publisher where this one fails, or fails with an error of that one's type, thrown instead
    /// of making it.
    ///
    /// ```
    /// ──1──2──✕ A
    ///   tryCatch(throwing: B.self) { error throws(B) in try replacement(for: error) }
    /// ──1──2──✕ B
    /// ```
    ///
    /// In contrast to ``tryCatch(_:)`` the failure has a type, which is that of the other publisher, as with
    /// ``catch(_:)``.
    ///
    /// **Demand** that the failed publisher left unanswered is passed on to the other one.
    ///
    /// **Completion.** That of the other publisher is the stream's, and so is an error that is thrown.
    ///
    /// **Cancellation** reaches the publisher that is current, on the thread that cancels.
    ///
    /// - Parameters:
    ///   - errorType: The other publisher's type of failure.
    ///   - handler: Called at most once, with the failure, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryCatch<P: Publisher>(
        throwing errorType: P.Failure.Type,
        _ handler: @escaping @Sendable (Failure) throws(P.Failure) -> P
    ) -> Publishers.TryRecovery<Self, P> where P.Output == Output {
        Publishers.TryRecovery(upstream: self, handler: handler)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryCatch(_:)`` makes.
    public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher to go on with, or throws what the stream fails with.
        public let handler: @Sendable (Upstream.Failure) throws -> NewPublisher

        /// Makes the publisher; ``Publisher/tryCatch(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) throws -> NewPublisher) {
            self.upstream = upstream
            self.handler = handler
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                CatchingSubscriber(.tryCatch, downstream: subscriber, handler: handler, ending: .erasing))
        }
    }
}

extension Publishers.TryCatch: Sendable where Upstream: Sendable {}
