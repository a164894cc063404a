extension Optional {
    /// Delivers the value if there is one, and completes.
    public struct Publisher: Streams.Publisher {
        public typealias Output = Wrapped
        public typealias Failure = Never

        /// What is delivered, if anything.
        public let output: Wrapped?

        /// A publisher that delivers `output`, or completes at once where that is nil.
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
            KnownValueSubscription(.optional, value: output, downstream: subscriber).handOver(to: subscriber)
        }
    }

    /// A publisher that delivers the value if there is one, and completes.
    @inlinable public var publisher: Publisher { Publisher(self) }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}
extension Optional.Publisher: Sendable where Wrapped: Sendable {}
