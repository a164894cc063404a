extension Result {
    /// A publisher that delivers the success and finishes, or fails at once.
    public struct Publisher: Streams.Publisher {
        public typealias Output = Success

        /// The result to deliver.
        public let result: Result<Success, Failure>

        /// Creates a publisher of a result.
        @inlinable
        public init(_ result: Result<Success, Failure>) {
            self.result = result
        }

        /// Creates a publisher of a value.
        @inlinable
        public init(_ output: Success) {
            self.init(.success(output))
        }

        /// Creates a publisher that fails.
        @inlinable
        public init(_ failure: Failure) {
            self.init(.failure(failure))
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Success, S.Failure == Failure {
            switch result {
            case .success(let output):
                ScalarSubscription("Once", value: output, downstream: subscriber).handOver(to: subscriber)
            case .failure(let error):
                subscriber.receive(subscription: Subscriptions.empty)
                subscriber.receive(completion: .failure(error))
            }
        }

        @inlinable
        @inline(__always)
        public var _knownOutcome: Result<Success?, Failure>? { result.map { $0 } }
    }

    /// A publisher that delivers the success and finishes, or fails at once.
    @inlinable public var publisher: Publisher { Publisher(self) }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}
extension Result.Publisher: Sendable where Success: Sendable {}
