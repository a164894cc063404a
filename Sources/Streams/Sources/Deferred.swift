/// A publisher that is made anew for each subscriber.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
    public typealias Output = DeferredPublisher.Output
    public typealias Failure = DeferredPublisher.Failure

    /// Makes the publisher a subscriber gets.
    public let createPublisher: @Sendable () -> DeferredPublisher

    /// - Parameter createPublisher: Called once for each subscriber, on the subscribing thread.
    @preconcurrency
    @inlinable
    public init(createPublisher: @escaping @Sendable () -> DeferredPublisher) {
        self.createPublisher = createPublisher
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        createPublisher().subscribe(subscriber)
    }
}

extension Deferred: Sendable {}
