import Streams

extension Publisher where Output == Data {
    /// Parses bytes as a stream of server-sent events (`text/event-stream`).
    ///
    /// ```
    /// ──"data: a\n\ndata"──": b\n\n"──|
    ///   serverSentEvents()
    /// ──a──────────────────b──────────|
    /// ```
    ///
    /// The bytes are parsed as the WHATWG's HTML standard requires. Comments and reconnection times are ignored, and an
    /// event that is unfinished at the end is dropped.
    ///
    /// Demand, completion, cancellation and threads are like those of ``Publisher/lines(maxLength:)``.
    ///
    /// - Parameter maxEventSize: The maximum number of bytes of an event's data, and of any line.
    public func serverSentEvents(maxEventSize: Int = 1 << 20) -> Operators.ServerSentEvents<Self> {
        Operators.ServerSentEvents(upstream: self, maxEventSize: maxEventSize)
    }
}

extension Operators {
    /// A publisher that parses bytes as a stream of server-sent events.
    public struct ServerSentEvents<Upstream: Publisher>: Publisher where Upstream.Output == Data {
        public typealias Output = ServerSentEvent<String>
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of bytes of an event's data, and of any line.
        public let maxEventSize: Int

        /// Creates a publisher that parses bytes as a stream of server-sent events.
        public init(upstream: Upstream, maxEventSize: Int = 1 << 20) {
            self.upstream = upstream
            self.maxEventSize = Swift.max(maxEventSize, 0)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            start(AnySubscriber(subscriber))
        }

        @usableFromInline
        func start(_ subscriber: AnySubscriber<ServerSentEvent<String>, any Error>) {
            let framing = CompactMapFraming(base: EventStreamFraming(maxElementSize: maxEventSize)) { item in
                if case .event(let event) = item { event } else { nil }
            }
            upstream.mapError { $0 as any Error }
                .subscribe(FramingSubscription("ServerSentEvents", framing, downstream: subscriber))
        }
    }
}

extension Operators.ServerSentEvents: Sendable where Upstream: Sendable {}
