/// A subject that delivers each value to the subscribers that have requested one by then, and keeps none.
///
/// A value that is sent while another one is being delivered, on another thread or from inside a callback, is delivered
/// after that one. `send` does not wait for it.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
    @usableFromInline let core: SubjectCore<Output, Failure>

    /// Creates a subject without subscribers.
    @inlinable
    public init() {
        core = SubjectCore("PassthroughSubject")
    }

    deinit {
        core.subjectReleased()
    }

    @inlinable
    public func send(_ input: Output) {
        core.send(input)
    }

    @inlinable
    public func send(completion: Subscribers.Completion<Failure>) {
        core.submit(.completion(completion))
    }

    public func send(subscription: any Subscription) {
        core.upstreams.add(subscription)
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        core.subscribe(subscriber)
    }
}

// Safe because the core makes signals serial, and values may go to any thread where they are Sendable.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
