/// A publisher that delivers one value to each subscriber, and finishes.
public struct Just<Output>: Publisher {
    public typealias Failure = Never

    /// The value to deliver.
    public let output: Output

    /// Creates a publisher of one value.
    @inlinable
    public init(_ output: Output) {
        self.output = output
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        ScalarSubscription("Just", value: output, downstream: subscriber).handOver(to: subscriber)
    }

    @inlinable
    @inline(__always)
    public var _knownOutcome: Result<Output?, Never>? { .success(output) }
}

extension Just: Equatable where Output: Equatable {}
extension Just: Sendable where Output: Sendable {}
