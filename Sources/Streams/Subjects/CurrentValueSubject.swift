/// A subject with a current value, which subscribers receive first, and then every value that is sent.
///
/// A subscriber without demand misses values; when it requests one, it receives the newest. A value that is sent while
/// another one is being delivered, on another thread or from inside a callback, is delivered after that one. `send` does
/// not wait for it, but ``value`` is the new one at once.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    @usableFromInline
    struct State {
        @usableFromInline var value: Output
        @usableFromInline var isFinished = false

        @inlinable
        init(_ value: Output) {
            self.value = value
        }
    }

    @usableFromInline let core: SubjectCore<Output, Failure>
    @usableFromInline let state: Locked<State>

    /// Creates a subject.
    ///
    /// - Parameter value: The value that is current until another one is sent.
    @inlinable
    public convenience init(_ value: Output) {
        self.init(value, name: "CurrentValueSubject")
    }

    /// - Parameter name: The description of the subscriptions.
    @inlinable
    init(_ value: Output, name: String) {
        state = Locked(State(value))
        core = SubjectCore(name, capacity: 1)
        core.log.append(value)
    }

    deinit {
        core.upstreams.cancelAll()
    }

    /// The current value. Setting it sends it.
    ///
    /// It can be used on any thread, also from inside a callback. After the completion, when `send` does nothing any
    /// more, setting the value still changes it.
    @inlinable public var value: Output {
        get { state.withLock { $0.value } }
        set {
            commit { state in
                state.value = newValue
                return state.isFinished ? nil : .value(newValue)
            }
        }
    }

    @inlinable
    public func send(_ input: Output) {
        commit { state in
            guard !state.isFinished else { return nil }
            state.value = input
            return .value(input)
        }
    }

    @inlinable
    public func send(completion: Subscribers.Completion<Failure>) {
        commit { state in
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
        guard let conduit = core.attach(subscriber) else { return }
        // The current value is delivered before this call returns, also while another call is draining.
        if !core.startIfIdle(conduit) {
            deliverCurrent(to: conduit)
            core.submit(.start(conduit))
        }
    }

    /// Delivers the current value on the subscribing thread, which alone calls the subscriber now.
    @inlinable
    func deliverCurrent(to conduit: SubjectConduit<Output, Failure>) {
        guard conduit.demand.reading.hasDemand else { return }
        var current: Output?
        commit { state in
            current = state.value
            return .serve(conduit)
        }
        if let current, conduit.demand.takeOne() { conduit.deliver(current) }
    }

    /// Changes the state and submits an event.
    ///
    /// The event gets its place in the queue under the lock, so that the last value delivered is the current one. A
    /// draining call cannot skip the queue: other threads may have changed the value between its entering and its
    /// locking, and their events come first.
    ///
    /// - Parameter change: Changes the state under the lock, and returns the event.
    @inlinable
    func commit(_ change: (inout State) -> SubjectCore<Output, Failure>.Event?) {
        let core = core
        let hasEntered = core.signals.enter()
        // What is replaced is released outside the lock.
        let (previous, event, isDraining) = state.withLock { state in
            let previous = state
            guard let event = change(&state) else {
                return (previous, event: nil as SubjectCore<Output, Failure>.Event?, hasEntered)
            }
            guard hasEntered else { return (previous, nil, core.signals.enqueue(event)) }
            guard core.signals.isContended else { return (previous, event, true) }
            core.signals.enqueueWhileDraining(event)
            return (previous, nil, true)
        }
        if let event { core.handle(event) }
        if isDraining { core.signals.leave { core.handle($0) } }
        withExtendedLifetime(previous) {}
    }
}

// Safe because the state is behind a lock, the core makes signals serial, and values may go to any thread where they are
// Sendable.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
