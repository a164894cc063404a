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
            commit(.value(newValue)) { state in
                state.value = newValue
                return !state.isFinished
            } perform: {
                core.broadcast(newValue)
            }
        }
    }

    @inlinable
    public func send(_ input: Output) {
        commit(.value(input)) { state in
            guard !state.isFinished else { return false }
            state.value = input
            return true
        } perform: {
            core.broadcast(input)
        }
    }

    @inlinable
    public func send(completion: Subscribers.Completion<Failure>) {
        commit(.completion(completion)) { state in
            guard !state.isFinished else { return false }
            state.isFinished = true
            return true
        } perform: {
            core.finish(completion)
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
        commit(.serve(conduit)) { state in
            current = state.value
            return true
        } perform: {
            core.serve(conduit)
        }
        if let current, conduit.demand.takeOne() { conduit.deliver(current) }
    }

    /// Changes the state, and handles the event of the change at once or, if another call is draining, enqueues it.
    ///
    /// The event gets its place in the queue under the lock, so that the last value delivered is the current one. A call
    /// that has entered the drain cannot skip the queue: other threads may have changed the value since, and their events
    /// come first.
    ///
    /// - Parameters:
    ///   - event: The event of the change.
    ///   - change: A closure that changes the state under the lock, and returns whether there is an event.
    ///   - perform: A closure that handles the event, called outside the lock.
    @inlinable
    func commit(
        _ event: @autoclosure () -> SubjectCore<Output, Failure>.Event, change: (inout State) -> Bool,
        perform: () -> Void
    ) {
        let core = core
        let hasEntered = core.signals.enter()
        let (previous, isDraining, performsNow) = state.withLock { state in
            let previous = state.value
            guard change(&state) else { return (previous, hasEntered, false) }
            guard hasEntered else { return (previous, core.signals.enqueue(event()), false) }
            guard core.signals.isContended else { return (previous, true, true) }
            core.signals.enqueueWhileDraining(event())
            return (previous, true, false)
        }
        if performsNow { perform() }
        if isDraining { core.signals.leave { core.handle($0) } }
        // The value that was replaced is released outside the lock.
        withExtendedLifetime(previous) {}
    }
}

// Safe because the state is behind a lock, the core makes signals serial, and values may go to any thread where they are
// Sendable.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
