extension Publishers {
    /// The publisher that ``Publisher/tryCatch(throwing:_:)`` makes.
    public struct TryRecovery<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = NewPublisher.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher to go on with, or throws what the stream fails with.
        public let handler: @Sendable (Upstream.Failure) throws(NewPublisher.Failure) -> NewPublisher

        /// Makes the publisher; ``Publisher/tryCatch(throwing:_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream,
            handler: @escaping @Sendable (Upstream.Failure) throws(NewPublisher.Failure) -> NewPublisher
        ) {
            self.upstream = upstream
            self.handler = handler
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                CatchingSubscriber(.tryCatch, downstream: subscriber, handler: handler, ending: .keeping))
        }
    }
}

extension Publishers.TryRecovery: Sendable where Upstream: Sendable {}
