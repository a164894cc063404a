/// A publisher that delivers one value to each subscriber, and completes.
public struct Just<Output>: Publisher {
    public typealias Failure = Never

    /// What is delivered.
    public let output: Output

    /// A publisher that delivers `output`.
    @inlinable
    public init(_ output: Output) {
        self.output = output
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        KnownValueSubscription(.just, value: output, downstream: subscriber).handOver(to: subscriber)
    }
}

extension Just: Equatable where Output: Equatable {}
extension Just: Sendable where Output: Sendable {}
