/// A publisher that fails on subscription.
public struct Fail<Output, Failure: Error>: Publisher {
    /// The failure.
    public let error: Failure

    /// Creates a publisher that fails with an error.
    @inlinable
    public init(error: Failure) {
        self.error = error
    }

    /// Creates a publisher that fails with an error, with an explicit type of values.
    @inlinable
    public init(outputType: Output.Type, failure: Failure) {
        self.init(error: failure)
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .failure(error))
    }

    @inlinable
    @inline(__always)
    public var _knownOutcome: Result<Output?, Failure>? { .failure(error) }
}

extension Fail: Equatable where Failure: Equatable {}
extension Fail: Sendable {}
