extension Result {
    /// Delivers the success and completes, or fails with the failure at once.
    public struct Publisher: Streams.Publisher {
        public typealias Output = Success

        /// What is delivered.
        public let result: Result<Success, Failure>

        /// A publisher that delivers the success, or fails with the failure.
        @inlinable
        public init(_ result: Result<Success, Failure>) {
            self.result = result
        }

        /// A publisher that delivers a value.
        @inlinable
        public init(_ output: Success) {
            self.init(.success(output))
        }

        /// A publisher that fails.
        @inlinable
        public init(_ failure: Failure) {
            self.init(.failure(failure))
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Success, S.Failure == Failure {
            switch result {
            case .success(let output):
                KnownValueSubscription(.once, value: output, downstream: subscriber).handOver(to: subscriber)
            case .failure(let error):
                subscriber.receive(subscription: Subscriptions.empty)
                subscriber.receive(completion: .failure(error))
            }
        }
    }

    /// A publisher that delivers the success and completes, or fails with the failure.
    @inlinable public var publisher: Publisher { Publisher(self) }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}
extension Result.Publisher: Sendable where Success: Sendable {}
