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

        @usableFromInline var history = ChangeHistory()

        @inlinable
        init(_ value: Output) {
            self.value = value
        }

        @inlinable
        mutating func set(_ value: Output) {
            self.value = value
            if history.isRecorded { history.record() }
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
            let (current, lastForeignChange) = state.withLock { ($0.value, $0.history.begin()) }
            var value = current
            let result = try change(&value)
            let newValue = value
            var isCommitted = false
            commit(.value(newValue)) { state in
                guard state.history.lastForeignChange == lastForeignChange else { return false }
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

/// The record of a value's changes by which an `update` recognises that another thread has changed the value meanwhile.
///
/// A change by the update's own thread does not count. It can only have been made inside the update's closure, which
/// would make it again in the next call, and so without end.
@usableFromInline
struct ChangeHistory {
    /// Whether an update has begun. Until then no change has to be recorded.
    @usableFromInline var isRecorded = false

    /// The number of changes, which is also the number of the last one.
    private var count: UInt = 0
    private var lastThread = ThreadIdentity.none

    /// The number of the last change that was not made by `lastThread`.
    private var lastChangeBefore: UInt = 0

    @usableFromInline
    init() {}

    /// Starts recording, and returns the number of the last change that was not made by the calling thread.
    @usableFromInline
    mutating func begin() -> UInt {
        isRecorded = true
        return lastForeignChange
    }

    /// Records a change by the calling thread.
    @usableFromInline
    mutating func record() {
        let thread = ThreadIdentity.current
        if lastThread != thread {
            lastThread = thread
            lastChangeBefore = count
        }
        count &+= 1
    }

    /// The number of the last change that was not made by the calling thread.
    @usableFromInline var lastForeignChange: UInt { lastThread == .current ? lastChangeBefore : count }
}
