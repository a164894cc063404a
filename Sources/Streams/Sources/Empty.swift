/// A publisher that delivers no value: it completes at once, or never.
public struct Empty<Output, Failure: Error>: Publisher, Equatable, Sendable {
    /// Whether it completes on subscription; otherwise it never does.
    public let completeImmediately: Bool

    /// - Parameter completeImmediately: Whether it completes on subscription; otherwise it never does.
    @inlinable
    public init(completeImmediately: Bool = true) {
        self.completeImmediately = completeImmediately
    }

    /// Spells the types out where they cannot be inferred.
    @inlinable
    public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
        self.init(completeImmediately: completeImmediately)
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        subscriber.receive(subscription: Subscriptions.empty)
        if completeImmediately { subscriber.receive(completion: .finished) }
    }
}
