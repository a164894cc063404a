/// A subject that keeps its newest values for those who subscribe later.
///
/// A subscriber gets the values kept, and then every value that is sent. What it does not ask for in time stays there
/// for it as long as it is among the newest; after that it has missed it. So memory is bounded by the buffer, however
/// slow subscribers are. The completion comes after the values, also for those who subscribe when all is over.
///
/// A value sent while another one is being delivered, from another thread or from inside a callback, is delivered after
/// it; `send` does not wait for that.
public final class ReplaySubject<Output, Failure: Error>: Subject {
    @usableFromInline let core: ReplayCore<Output, Failure>

    /// - Parameter bufferSize: How many values are kept. With `Int.max` all of them are.
    @inlinable
    public init(bufferSize: Int) {
        core = ReplayCore(bufferSize: bufferSize)
    }

    deinit {
        core.upstreams.cancelAll()
    }

    @inlinable
    public func send(_ input: Output) {
        let core = core
        if core.signals.enter() {
            core.broadcast(input)
            core.signals.leave { core.handle($0) }
        } else if core.signals.enqueue(.value(input)) {
            core.signals.drain { core.handle($0) }
        }
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

// Safe because its state is behind the signals, and what is sent may go to any thread where it is Sendable.
extension ReplaySubject: @unchecked Sendable where Output: Sendable {}
