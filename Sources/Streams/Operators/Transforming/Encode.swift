extension Publisher where Output: Encodable {
    /// Encodes each value.
    ///
    /// ```
    /// ──a──b──|
    ///   encode(encoder: JSONEncoder())
    /// ──{}─{}─|
    /// ```
    ///
    /// Demand and the cancellation pass through.
    ///
    /// **Completion.** An error that the encoder throws cancels the upstream and becomes the failure.
    ///
    /// - Parameter encoder: An encoder, shared by all subscriptions and used on the thread that delivers the value.
    @inlinable
    public func encode<Coder: TopLevelEncoder>(encoder: Coder) -> Publishers.Encode<Self, Coder> {
        Publishers.Encode(upstream: self, encoder: encoder)
    }
}

extension Publishers {
    /// A publisher that encodes each value of its upstream.
    public struct Encode<Upstream: Publisher, Coder: TopLevelEncoder>: Publisher where Upstream.Output: Encodable {
        public typealias Output = Coder.Output
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream
        @usableFromInline let encoder: Coder

        /// Creates a publisher that encodes each value of another one.
        @inlinable
        public init(upstream: Upstream, encoder: Coder) {
            self.upstream = upstream
            self.encoder = encoder
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.erasingFailure.subscribe(
                FilteringSubscriber(
                    "Encode", downstream: subscriber, filter: MapFilter { [encoder] in try encoder.encode($0) }))
        }
    }
}

extension Publishers.Encode: Sendable where Upstream: Sendable, Coder: Sendable {}
