/// A publisher that fails at once.
public struct Fail<Output, Failure: Error>: Publisher {
    /// What it fails with.
    public let error: Failure

    /// A publisher that fails with `error`.
    @inlinable
    public init(error: Failure) {
        self.error = error
    }

    /// Spells the type of values out where it cannot be inferred.
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
}

extension Fail: Equatable where Failure: Equatable {}
extension Fail: Sendable {}
