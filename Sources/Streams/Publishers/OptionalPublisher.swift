extension Optional {
    /// A publisher that delivers the value if there is one, and finishes.
    public struct Publisher: Streams.Publisher {
        public typealias Output = Wrapped
        public typealias Failure = Never

        /// The value to deliver, if there is one.
        public let output: Wrapped?

        /// Creates a publisher of an optional value.
        @inlinable
        public init(_ output: Wrapped?) {
            self.output = output
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Wrapped, S.Failure == Never {
            guard let output else {
                subscriber.receive(subscription: Subscriptions.empty)
                subscriber.receive(completion: .finished)
                return
            }
            ScalarSubscription("Optional", value: output, downstream: subscriber).handOver(to: subscriber)
        }

        @inlinable
        @inline(__always)
        public var _knownOutcome: Result<Wrapped?, Never>? { .success(output) }
    }

    /// A publisher that delivers the value if there is one, and finishes.
    @inlinable public var publisher: Publisher { Publisher(self) }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}
extension Optional.Publisher: Sendable where Wrapped: Sendable {}
