/// A publisher of one result that comes later: it is computed once, and kept for all who subscribe before and after.
///
/// The work starts when the future is made, not when somebody subscribes. Wrap it in ``Deferred`` to start it on
/// subscription.
public final class Future<Output, Failure: Error>: Publisher {
    /// Delivers the result. Only the first call counts; it may come from any thread.
    public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

    @usableFromInline let resolution = FutureResolution<Output, Failure>()

    /// - Parameter attemptToFulfill: Called at once, with the promise to keep.
    @preconcurrency
    @inlinable
    public init(_ attemptToFulfill: @escaping @Sendable (@escaping Promise) -> Void) {
        attemptToFulfill { [resolution] in resolution.resolve($0) }
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let known = resolution.known
        let subscription = FutureSubscription(downstream: subscriber, future: self, isSettled: known != nil)
        subscriber.receive(subscription: subscription)
        // Only now, so that a promise kept on another thread does not deliver while the subscription is being received.
        if let known { subscription.resolve(known) } else { resolution.attach(subscription) }
    }
}

// Safe because all state is in the resolution, which is behind a lock.
extension Future: @unchecked Sendable where Output: Sendable {}
