/// A subject that passes on what it is sent, to those who have asked for it by then. It keeps nothing.
///
/// A value sent while another one is being delivered, from another thread or from inside a callback, is delivered after
/// it; `send` does not wait for that.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
    @usableFromInline let core: SubjectCore<Output, Failure, NoMemory<Output>>

    /// A subject without subscribers.
    @inlinable
    public init() {
        core = SubjectCore("PassthroughSubject", memory: NoMemory())
    }

    deinit {
        core.upstreams.cancelAll()
    }

    @inlinable
    public func send(_ input: Output) {
        let core = core
        if core.signals.enter() {
            core.broadcast(input, version: 0)
            core.signals.leave { core.handle($0) }
        } else if core.signals.enqueue(.value(input, version: 0)) {
            core.signals.drain { core.handle($0) }
        }
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

// Safe because its state is behind the signals, and what is sent may go to any thread where it is Sendable.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
