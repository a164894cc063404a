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

        /// The updates whose closures are running, the one that began last first.
        @usableFromInline var updates: PendingUpdate?

        @inlinable
        init(_ value: Output) {
            self.value = value
        }

        /// Changes the value. Updates that have begun with the earlier one begin again.
        @inlinable
        mutating func set(_ value: Output) {
            self.value = value
            if let updates { updates.invalidate() }
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
        core.subjectReleased()
    }

    /// The current value. Setting it sends it.
    ///
    /// It can be used on any thread, also from inside a callback. After the completion, when `send` does nothing any
    /// more, setting the value still changes it.
    @inlinable public var value: Output {
        get { state.withLock { $0.value } }
        set {
            commit(.value(newValue)) { state in
                state.set(newValue)
                return !state.isFinished
            } perform: {
                core.broadcast(newValue)
            }
        }
    }

    /// Changes the current value and sends it, so that no change of another thread is lost.
    ///
    /// ```swift
    /// let connections = CurrentValueSubject<Int, Never>(0)
    /// connections.update { $0 += 1 }     // with `value += 1`, two threads could add only one
    /// ```
    ///
    /// The closure may be called more than once: if the value changes meanwhile, it is called again with the new one. It
    /// runs outside any lock, so it may use this subject. But a change that it makes itself is overwritten by its result.
    ///
    /// After the completion the value is changed but not sent. If the closure throws, the value stays as it is.
    ///
    /// - Parameter change: A closure that changes the value. It should have no other effect.
    /// - Returns: The result of the closure's last call.
    @inlinable
    @discardableResult
    public func update<Result, E: Error>(_ change: (inout Output) throws(E) -> Result) throws(E) -> Result {
        while true {
            let update = PendingUpdate()
            var value = state.withLock { state in
                update.previous = state.updates
                state.updates = update
                return state.value
            }
            let result: Result
            do throws(E) {
                result = try change(&value)
            } catch {
                state.withLock { update.remove(from: &$0.updates) }
                throw error
            }
            let newValue = value
            var isCommitted = false
            commit(.value(newValue)) { state in
                update.remove(from: &state.updates)
                guard !update.isInvalid else { return false }
                state.set(newValue)
                isCommitted = true
                return !state.isFinished
            } perform: {
                core.broadcast(newValue)
            }
            if isCommitted { return result }
        }
    }

    @inlinable
    public func send(_ input: Output) {
        commit(.value(input)) { state in
            guard !state.isFinished else { return false }
            state.set(input)
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

// Safe because a lock guards the state, the core makes signals serial, and Sendable values may go to any thread.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}

/// A call of `update`, while its closure runs. It is guarded by the subject's lock.
@usableFromInline
final class PendingUpdate {
    @usableFromInline let thread = ThreadIdentity.current

    /// The update that began before and is still running.
    @exclusivity(unchecked) @usableFromInline var previous: PendingUpdate?

    /// Whether another thread has changed the value. Its own thread can only have done so inside the closure, which
    /// would repeat that in the next call, and so without end.
    @exclusivity(unchecked) @usableFromInline var isInvalid = false

    @usableFromInline
    init() {}

    /// Invalidates this update and those that began before, unless they are of the calling thread.
    @usableFromInline
    func invalidate() {
        let current = ThreadIdentity.current
        var next: PendingUpdate? = self
        while let update = next {
            if update.thread != current { update.isInvalid = true }
            next = update.previous
        }
    }

    /// Removes this update from a list.
    @usableFromInline
    func remove(from updates: inout PendingUpdate?) {
        if updates === self {
            updates = previous
            return
        }
        var next = updates
        while let update = next {
            if update.previous === self { return update.previous = previous }
            next = update.previous
        }
    }
}
