/// A publisher that creates another publisher for each subscriber.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
    public typealias Output = DeferredPublisher.Output
    public typealias Failure = DeferredPublisher.Failure

    /// A closure that creates the publisher for a subscriber.
    public let createPublisher: @Sendable () -> DeferredPublisher

    /// Creates a publisher that defers to another.
    ///
    /// - Parameter createPublisher: A closure that is called once for each subscriber, on the subscribing thread.
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
