/// A relay that holds something back until its time has come.
@usableFromInline
protocol TimedReceiver: LinkedSubscriber, ScheduledReceiver
where Entry == Signal<Downstream.Input, Downstream.Failure>, Date == Void {
    associatedtype Downstream: Subscriber

    /// What is held back.
    associatedtype Waiting
}

extension TimedReceiver {
    @inlinable
    func deliver(_ entry: consuming Entry) {
        entry.deliver(to: downstream, demandGoesTo: link)
    }
}

/// The subscription of an operator that takes all values there are, and decides by the clock which of them, and when,
/// go to a subscriber that asks for less.
///
/// A timer holds this link and nothing else, and this link holds the relay, which knows the downstream, only as long as
/// something waits. A value leaves the wait and enters the queue for delivery under one lock, so that the order is kept
/// on a concurrent scheduler too.
// Safe because what changes is behind the lock of the timerState, and what is inherited is safe.
@usableFromInline
class TimedQueue<Relay: TimedReceiver>: ScheduledQueue<Relay>, @unchecked Sendable {
    @usableFromInline
    struct TimerState {
        /// How many values the subscriber still wants.
        @usableFromInline var demand = Subscribers.Demand.none
        @usableFromInline var waiting: Relay.Waiting?
        /// There is one exactly while something waits.
        @usableFromInline var relay: Relay?
        @usableFromInline var timer: (any Cancellable)?
        /// Tells timers apart, as one that was cancelled may fire all the same.
        @usableFromInline var turn: UInt64 = 0
        /// Whether nothing may wait any more.
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

    /// The lock of what is to be delivered may be taken inside it, never the other way round.
    @usableFromInline final let timerState = Locked(TimerState())

    @inlinable
    override init(_ name: String) {
        super.init(name)
    }

    /// Takes a subscription in, hands this one downstream, and asks for values.
    @inlinable
    final func start(_ subscription: any Subscription, of relay: Relay, demand: Subscribers.Demand = .unlimited) {
        guard attach(subscription) else { return }
        holdingJobs(of: relay) { relay.downstream.receive(subscription: self) }
        if demand > .none { requestUpstream(demand) }
    }

    @usableFromInline
    final func requestUpstream(_ demand: Subscribers.Demand) {
        super.request(demand)
    }

    /// Notes a timer, unless it is late: another turn has begun, or nothing waits for it any more.
    @usableFromInline
    final func note(_ timer: any Cancellable, turn: UInt64) {
        let isNeeded = timerState.withLock { timerState in
            guard !timerState.isOver, timerState.turn == turn, timerState.timer == nil else { return false }
            timerState.timer = timer
            return true
        }
        if !isNeeded { timer.cancel() }
    }

    /// Stops the timer, and keeps what waits.
    @usableFromInline
    final func stopTimer() {
        let timer = timerState.withLock { timerState in
            // One that has not been noted yet is late.
            timerState.turn &+= 1
            return timerState.timer.take()
        }
        timer?.cancel()
    }

    /// Ends the wait: stops the timer and lets go of what waits.
    @usableFromInline
    final func endWait() {
        let before = timerState.withLock { timerState in
            let before = timerState
            timerState = TimerState()
            timerState.isOver = true
            return before
        }
        before.timer?.cancel()
    }

    /// Adds to what the subscriber wants.
    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        timerState.withLock { $0.demand += demand }
    }

    @usableFromInline
    override func cancel() {
        // The wait first: what leaves it under the lock is never turned down by the queue for delivery, and released
        // there.
        endWait()
        super.cancel()
    }

    /// Values that come while the subscriber wants none do not reach it.
    @usableFromInline override var dropsUnrequestedValues: Bool { true }
}
