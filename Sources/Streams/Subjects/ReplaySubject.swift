/// A subject that keeps its newest values for later subscribers.
///
/// A subscriber receives the values kept, and then every value that is sent. A value that it has not requested stays
/// available to it as long as it is among the newest. So memory is bounded by the buffer, however slow subscribers are.
/// The completion follows the values, also for those that subscribe after it.
///
/// A value that is sent while another one is being delivered, on another thread or from inside a callback, is delivered
/// after that one. `send` does not wait for it.
public final class ReplaySubject<Output, Failure: Error>: Subject {
    @usableFromInline let core: SubjectCore<Output, Failure>

    /// Creates a subject without values.
    ///
    /// - Parameter bufferSize: The number of values that are kept, at most 4,294,967,295. `Int.max` keeps as many.
    @inlinable
    public init(bufferSize: Int) {
        precondition(bufferSize >= 0, "the buffer size must not be negative")
        core = SubjectCore(
            "ReplaySubject", capacity: Swift.min(bufferSize, Int(UInt32.max)), completesAfterValues: true)
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
        core.upstreams.requestUnlimited()
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        core.subscribe(subscriber)
    }
}

// Safe because the core makes signals serial, and values may go to any thread where they are Sendable.
extension ReplaySubject: @unchecked Sendable where Output: Sendable {}
