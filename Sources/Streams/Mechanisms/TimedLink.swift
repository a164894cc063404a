/// The subscription of `debounce`, `throttle` and `sample(every:)`, which hold one value back until a timer fires.
///
/// A timer holds this subscription, which holds the subscriber only while it holds a value back (rule 6). The value
/// enters the queue under the lock, so that a concurrent scheduler keeps the order.
@usableFromInline
final class TimedLink<Receiver: ScheduledReceiver, Held>: UpstreamLink {
    @usableFromInline
    typealias HeldValue = (value: Held, receiver: Receiver)

    @usableFromInline
    struct State {
        /// The number of values that the subscriber still wants.
        @usableFromInline var demand = Subscribers.Demand.none
        @usableFromInline var timer = TimerSlot()
        /// The value that is held back, and the subscriber to deliver it to.
        @usableFromInline var held: HeldValue?
        /// Whether no more values are held back, because the upstream has completed or the stream was cancelled.
        @usableFromInline var isOver = false

        @inlinable
        init() {}

        /// Takes one value off the demand, if there is any.
        @inlinable
        mutating func takeDemand() -> Bool {
            guard demand > .none else { return false }
            demand -= 1
            return true
        }
    }

    @usableFromInline let queue = ScheduledQueue<Receiver>()

    /// The queue's lock may be taken inside this one, never the other way round.
    @usableFromInline let state = Locked(State())

    // An initializer that is inherited is not specialised.
    @inlinable
    override init(_ name: String) {
        super.init(name)
    }

    /// Attaches to the upstream, hands this subscription downstream and requests all values.
    @inlinable
    func start(_ subscription: any Subscription, for receiver: Receiver) {
        guard attach(subscription) else { return }
        if receiver.downstream.needsEveryValue { request(.unlimited) }
        queue.deferringJobs(for: receiver) { receiver.downstream.receive(subscription: self) }
        upstream?.request(.unlimited)
    }

    /// Keeps a timer until it is stopped. Cancels it if it is late.
    @usableFromInline
    func store(_ timer: any Cancellable, generation: UInt64) {
        let isStored = state.withLock { $0.isOver ? false : $0.timer.store(timer, generation: generation) }
        if !isStored { timer.cancel() }
    }

    /// Stops the timer. The value that is held back stays.
    @usableFromInline
    func stopTimer() {
        state.withLock { $0.timer.advance() }?.cancel()
    }

    /// Stops the timer and releases the value that is held back.
    @usableFromInline
    func end() {
        let ended = state.withLock { state in
            let ended = exchange(&state, with: State())
            state.isOver = true
            return ended
        }
        ended.timer.cancel()
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.demand += demand }
    }

    @usableFromInline
    override func cancel() {
        // Before the queue is cancelled: a queue that refuses a value would release it under the lock.
        end()
        queue.cancel()
        super.cancel()
    }

    @usableFromInline override var dropsUnrequestedValues: Bool { true }
}

extension TimedLink
where Receiver.Entry == Signal<Held, Receiver.Downstream.Failure> {
    /// Moves the value that is held back to the queue, if it is wanted.
    ///
    /// - Returns: Whether the caller has to schedule or run a job.
    @inlinable
    func enqueueHeld() -> Bool {
        let (held, needsJob) = state.withLock { enqueueHeld(&$0) }
        withExtendedLifetime(held) {}
        return needsJob
    }

    /// Moves the value that is held back to the queue, if it is wanted. Call it with the lock.
    ///
    /// - Returns: The value, to be released outside the lock, and whether the caller has to schedule or run a job.
    @inlinable
    func enqueueHeld(_ state: inout State) -> (held: HeldValue?, needsJob: Bool) {
        guard let held = state.held.take() else { return (nil, false) }
        return (held, state.takeDemand() && queue.append(.value(held.value), for: held.receiver))
    }
}
