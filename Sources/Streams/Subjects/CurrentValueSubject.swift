/// A subject with a current value: a subscriber gets that first, and then every value that is sent.
///
/// A subscriber without demand misses values; once it asks, it gets the newest. A value sent while another one is being
/// delivered, from another thread or from inside a callback, is delivered after it; `send` does not wait for that, but
/// ``value`` is the new one at once.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    @usableFromInline let core: SubjectCore<Output, Failure, NewestValue<Output>>

    /// - Parameter value: What is current until something else is sent.
    @inlinable
    public convenience init(_ value: Output) {
        self.init(value, name: "CurrentValueSubject")
    }

    /// - Parameter name: What its subscriptions show as their description.
    @inlinable
    init(_ value: Output, name: String) {
        core = SubjectCore(name, memory: NewestValue(value))
    }

    deinit {
        core.upstreams.cancelAll()
    }

    /// The current value. Setting it sends it; after the completion, when `send` does nothing any more, it still
    /// changes. It may be used on any thread, also from inside a callback.
    @inlinable public var value: Output {
        get { core.memory.state.withLock { $0.newest.value } }
        set {
            core.commit { state in
                let version = state.keep(newValue)
                return state.isFinished ? nil : .value(newValue, version: version)
            }
        }
    }

    @inlinable
    public func send(_ input: Output) {
        core.commit { state in
            guard !state.isFinished else { return nil }
            return .value(input, version: state.keep(input))
        }
    }

    @inlinable
    public func send(completion: Subscribers.Completion<Failure>) {
        core.commit { state in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            return .completion(completion)
        }
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

// Safe because its state is behind the signals and a lock, and what is sent may go to any thread where it is
// Sendable.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}

extension SubjectCore where Memory == NewestValue<Output> {
    @usableFromInline
    struct Commitment {
        /// What was current, to be released outside the lock.
        @usableFromInline let previous: Memory.State
        /// What is to be handled right away.
        @usableFromInline let event: Event?
        @usableFromInline let isOwner: Bool

        @inlinable
        init(previous: Memory.State, event: Event?, isOwner: Bool) {
            self.previous = previous
            self.event = event
            self.isOwner = isOwner
        }
    }

    /// Changes the memory, and handles the event of the change, if there is one, or puts that into the backlog.
    ///
    /// The lock that the change is made under also decides the event's place in the queue, so that the last value
    /// delivered is the current one. The owner cannot skip it: others may have changed the value between its entering
    /// and its locking, and their events, which come before its own, are in the backlog then.
    @inlinable
    func commit(_ change: (inout Memory.State) -> Event?) {
        let hasEntered = signals.enter()
        let commitment = memory.state.withLock { state in
            let previous = state
            guard let event = change(&state) else {
                return Commitment(previous: previous, event: nil, isOwner: hasEntered)
            }
            if !hasEntered {
                return Commitment(previous: previous, event: nil, isOwner: signals.enqueue(event))
            }
            if signals.isContended {
                signals.enqueueWhileDraining(event)
                return Commitment(previous: previous, event: nil, isOwner: true)
            }
            return Commitment(previous: previous, event: event, isOwner: true)
        }
        if let event = commitment.event { handle(event) }
        if commitment.isOwner { signals.leave { handle($0) } }
    }
}
