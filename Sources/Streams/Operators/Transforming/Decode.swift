extension Publisher {
    /// Decodes each value.
    ///
    /// ```
    /// ──{}─{}─?──|
    ///   decode(type: Item.self, decoder: JSONDecoder())
    /// ──a──b──✕ DecodingError
    /// ```
    ///
    /// Demand and the cancellation pass through.
    ///
    /// **Completion.** An error that the decoder throws cancels the upstream and becomes the failure.
    ///
    /// - Parameters:
    ///   - type: The type of the decoded values.
    ///   - decoder: A decoder, shared by all subscriptions and used on the thread that delivers the value.
    @inlinable
    public func decode<Item: Decodable, Coder: TopLevelDecoder>(
        type: Item.Type, decoder: Coder
    ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
        Publishers.Decode(upstream: self, decoder: decoder)
    }
}

extension Publishers {
    /// A publisher that decodes each value of its upstream.
    public struct Decode<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder>: Publisher
    where Upstream.Output == Coder.Input {
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream
        @usableFromInline let decoder: Coder

        /// Creates a publisher that decodes each value of another one.
        @inlinable
        public init(upstream: Upstream, decoder: Coder) {
            self.upstream = upstream
            self.decoder = decoder
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            let filter = MapFilter { [decoder] in try decoder.decode(Output.self, from: $0) }
            upstream.erasingFailure.subscribe(FilteringSubscriber("Decode", downstream: subscriber, filter: filter))
        }
    }
}

extension Publishers.Decode: Sendable where Upstream: Sendable, Coder: Sendable {}
