extension Publisher {
    /// Decodes every value.
    ///
    /// ```
    /// ──{}─{}─?──|
    ///   decode(type: Item.self, decoder: JSONDecoder())
    /// ──a──b──✕ DecodingError
    /// ```
    ///
    /// Demand and cancellation pass through. When the decoder throws, the upstream is cancelled and the error
    /// delivered.
    ///
    /// - Parameters:
    ///   - type: What the values are decoded as.
    ///   - decoder: Used on the thread that delivers the value. All subscriptions share it.
    @inlinable
    public func decode<Item: Decodable, Coder: TopLevelDecoder>(
        type: Item.Type, decoder: Coder
    ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
        Publishers.Decode(upstream: self, decoder: decoder)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/decode(type:decoder:)`` makes.
    public struct Decode<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder>: Publisher
    where Upstream.Output == Coder.Input {
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream
        @usableFromInline let decoder: Coder

        /// Makes the publisher; ``Publisher/decode(type:decoder:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, decoder: Coder) {
            self.upstream = upstream
            self.decoder = decoder
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(Inner(downstream: subscriber, decoder: decoder))
        }
    }
}

extension Publishers.Decode: Sendable where Upstream: Sendable, Coder: Sendable {}

extension Publishers.Decode {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Output, Downstream.Failure == any Error {
        @usableFromInline let downstream: Downstream
        @usableFromInline let decoder: Coder
        @usableFromInline let link: UpstreamLink

        @inlinable
        init(downstream: Downstream, decoder: Coder) {
            self.downstream = downstream
            self.decoder = decoder
            link = OperatorSubscription("Decode")
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let output: Output
            do {
                output = try decoder.decode(Output.self, from: input)
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
