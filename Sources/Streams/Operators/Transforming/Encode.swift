extension Publisher where Output: Encodable {
    /// Encodes every value.
    ///
    /// ```
    /// ──a──b──|
    ///   encode(encoder: JSONEncoder())
    /// ──{}─{}─|
    /// ```
    ///
    /// Demand and cancellation pass through. When the encoder throws, the upstream is cancelled and the error
    /// delivered.
    ///
    /// - Parameter encoder: Used on the thread that delivers the value. All subscriptions share it.
    @inlinable
    public func encode<Coder: TopLevelEncoder>(encoder: Coder) -> Publishers.Encode<Self, Coder> {
        Publishers.Encode(upstream: self, encoder: encoder)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/encode(encoder:)`` makes.
    public struct Encode<Upstream: Publisher, Coder: TopLevelEncoder>: Publisher where Upstream.Output: Encodable {
        public typealias Output = Coder.Output
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream
        @usableFromInline let encoder: Coder

        /// Makes the publisher; ``Publisher/encode(encoder:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, encoder: Coder) {
            self.upstream = upstream
            self.encoder = encoder
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(Inner(downstream: subscriber, encoder: encoder))
        }
    }
}

extension Publishers.Encode: Sendable where Upstream: Sendable, Coder: Sendable {}

extension Publishers.Encode {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Coder.Output, Downstream.Failure == any Error {
        @usableFromInline let downstream: Downstream
        @usableFromInline let encoder: Coder
        @usableFromInline let link: UpstreamLink

        @inlinable
        init(downstream: Downstream, encoder: Coder) {
            self.downstream = downstream
            self.encoder = encoder
            link = OperatorSubscription("Encode")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let output: Coder.Output
            do {
                output = try encoder.encode(input)
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
