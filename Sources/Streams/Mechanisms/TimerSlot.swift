/// The current timer of an operator. `debounce`, `sample(every:)`, `timeout` and `collect(.byTime)` use it.
///
/// A timer that was replaced or stopped can fire all the same, and one that fires at once does so before it can be
/// stored. So timers carry the generation they were started in, and one of an earlier generation is late and ignored.
///
/// It is a value, guarded by the lock of its operator. Timers are cancelled outside that lock (rule 3): methods that
/// take a timer out return it to the caller.
@usableFromInline
struct TimerSlot {
    @usableFromInline var timer: (any Cancellable)?
    @usableFromInline var generation: UInt64 = 0

    @inlinable
    init() {}

    /// Begins a generation, in which earlier timers are late.
    ///
    /// - Returns: The current timer, to be cancelled by the caller.
    @inlinable
    mutating func advance() -> (any Cancellable)? {
        generation &+= 1
        return timer.take()
    }

    /// Stores a timer unless it is late.
    ///
    /// - Returns: Whether it is stored. Otherwise the caller cancels it.
    @inlinable
    mutating func store(_ timer: any Cancellable, generation: UInt64) -> Bool {
        guard generation == self.generation, self.timer == nil else { return false }
        self.timer = timer
        return true
    }

    /// Cancels the timer. Call it outside the lock, with a slot that was taken out.
    @usableFromInline
    func cancel() {
        timer?.cancel()
    }
}

/// The subscription of an operator that requests all values and holds one of them back until a timer fires: `debounce`,
/// `throttle` and `sample(every:)`.
///
/// A timer holds this subscription, which holds the subscriber only while something is held back (rule 6). What is held
/// back enters the queue under the lock, so that a concurrent scheduler keeps the order.
@usableFromInline
final class TimedSubscription<Receiver: ScheduledReceiver, Held>: UpstreamLink {
    @usableFromInline
    struct State {
        /// The number of values that the subscriber still wants.
        @usableFromInline var demand = Subscribers.Demand.none
        @usableFromInline var timer = TimerSlot()
        /// The value that is held back, and its receiver.
        @usableFromInline var held: (value: Held, receiver: Receiver)?
        /// Whether nothing may be held back any more.
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

    @usableFromInline let name: String
    @usableFromInline let queue = ScheduledQueue<Receiver>()

    /// The queue's lock may be taken inside this one, never the other way round.
    @usableFromInline let state = Locked(State())

    /// - Parameter name: The operator's name, as `print()` writes it.
    @inlinable
    init(_ name: String) {
        self.name = name
        super.init()
    }

    @usableFromInline override var description: String { name }

    /// Attaches to the upstream, hands this subscription downstream and requests all values.
    @inlinable
    func start(_ subscription: any Subscription, for receiver: Receiver) {
        guard attach(subscription) else { return }
        queue.deferringJobs(for: receiver) { receiver.downstream.receive(subscription: self) }
        upstream?.request(.unlimited)
    }

    /// Keeps a timer until it is stopped. Cancels it if it is late.
    @usableFromInline
    func store(_ timer: any Cancellable, generation: UInt64) {
        let isStored = state.withLock { $0.isOver ? false : $0.timer.store(timer, generation: generation) }
        if !isStored { timer.cancel() }
    }

    /// Stops the timer. What is held back stays.
    @usableFromInline
    func stopTimer() {
        state.withLock { $0.timer.advance() }?.cancel()
    }

    /// Stops the timer and releases what is held back.
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
        // Before the queue, which then never refuses what comes from here: it would release it under the lock.
        end()
        queue.cancel()
        super.cancel()
    }

    @usableFromInline override var dropsUnrequestedValues: Bool { true }
}
