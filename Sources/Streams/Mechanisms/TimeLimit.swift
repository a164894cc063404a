/// What an operator measures the time of.
@usableFromInline
enum TimeLimit {
    /// Each wait for a value.
    case pause
    /// The wait for the first value.
    case first
    /// The whole stream.
    case total
}

/// The receiving half of operators that end a stream when its time is up.
@usableFromInline
final class TimeLimitSubscriber<Downstream: Subscriber, Context: Scheduler>: LinkedSubscriber, TimeLimitReceiver {
    @usableFromInline typealias Entry = Signal<Downstream.Input, Downstream.Failure>

    @usableFromInline let downstream: Downstream
    @usableFromInline let interval: Context.SchedulerTimeType.Stride
    @usableFromInline let scheduler: Context
    @usableFromInline let options: Context.SchedulerOptions?
    @usableFromInline let customError: (@Sendable () -> Downstream.Failure)?
    @usableFromInline let link: TimeLimitQueue<TimeLimitSubscriber>
    @usableFromInline let limit: TimeLimit

    @inlinable
    init(
        _ name: String, limit: TimeLimit, downstream: Downstream,
        interval: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions?,
        customError: (@Sendable () -> Downstream.Failure)?
    ) {
        link = TimeLimitQueue(name)
        self.limit = limit
        self.downstream = downstream
        self.interval = interval
        self.scheduler = scheduler
        self.options = options
        self.customError = customError
    }

    @inlinable
    func receive(subscription: any Subscription) {
        guard link.attach(subscription) else { return }
        link.holdingJobs(of: self) {
            link.startClock(of: self)
            downstream.receive(subscription: link)
        }
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard link.isActive else { return .none }
        switch limit {
        case .pause: link.restartClock(of: self)
        case .first: link.stopClock()
        case .total: break
        }
        link.add(.value(input), for: self)
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        guard link.complete() else { return }
        link.stopClock()
        link.add(.completion(completion), isLast: true, for: self)
    }

    @inlinable
    func timeOut() {
        guard link.complete(cancellingUpstream: true) else { return }
        let completion = customError.map { Subscribers.Completion.failure($0()) } ?? .finished
        // This is the scheduler already.
        if link.append(.completion(completion), isLast: true, for: self) { link.runJob() }
    }

    @inlinable
    func deliver(_ entry: consuming Entry) {
        entry.deliver(to: downstream, demandGoesTo: link)
    }

    @inlinable
    func scheduleJob(at date: Void) {
        scheduler.schedule(ScheduledWork { [link] in link.runJob() }, options: options)
    }
}

/// A relay that is told when its time is up.
@usableFromInline
protocol TimeLimitReceiver: ScheduledReceiver {
    associatedtype Context: Scheduler

    var limit: TimeLimit { get }
    var interval: Context.SchedulerTimeType.Stride { get }
    var scheduler: Context { get }
    var options: Context.SchedulerOptions? { get }

    /// As much time as the interval has passed since the clock was started last. Called on the scheduler.
    func timeOut()
}

/// The subscription of an operator that delivers on a scheduler and watches the time between its upstream's values.
///
/// A value only moves the deadline. The timer looks at that when it fires, and is set anew if there is time left: there
/// is one at most in an interval, however many values there are. It holds this link, which holds the relay while the
/// clock runs.
@usableFromInline
// Safe because what changes is behind a lock.
final class TimeLimitQueue<Relay: TimeLimitReceiver>: ScheduledQueue<Relay>, @unchecked Sendable {
    @usableFromInline typealias Time = Relay.Context.SchedulerTimeType

    /// A running clock.
    @usableFromInline
    struct Clock {
        @usableFromInline let relay: Relay
        @usableFromInline var deadline: Time
        /// How often the deadline has been moved. It is not compared: how is the scheduler's affair, and this is behind a lock.
        @usableFromInline var moves: UInt64 = 0
        @usableFromInline var timer: (any Cancellable)?
        /// Tells timers apart, as one that was cancelled may fire all the same.
        @usableFromInline var turn: UInt64 = 0
        /// How often the deadline had been moved when the timer was set.
        @usableFromInline var movesOfTimer: UInt64 = 0
        @usableFromInline var isRequested = false
        /// Who is setting the timer at this moment.
        @usableFromInline var setter: ThreadIdentity?

        @inlinable
        init(relay: Relay, deadline: Time) {
            self.relay = relay
            self.deadline = deadline
        }
    }

    @usableFromInline let clock = Locked(Clock?.none)

    @inlinable
    func startClock(of relay: Relay) {
        let deadline = relay.scheduler.now.advanced(by: relay.interval)
        clock.withLock { $0 = Clock(relay: relay, deadline: deadline) }
        setTimer(of: relay)
    }

    @inlinable
    func restartClock(of relay: Relay) {
        let deadline = relay.scheduler.now.advanced(by: relay.interval)
        let previous = clock.withLock { clock -> Time? in
            let previous = clock?.deadline
            clock?.deadline = deadline
            clock?.moves &+= 1
            return previous
        }
        withExtendedLifetime(previous) {}
    }

    @usableFromInline
    func stopClock() {
        let stopped = clock.withLock { $0.take() }
        stopped?.timer?.cancel()
    }

    @usableFromInline
    func setTimer(of relay: Relay) {
        let begun = clock.withLock { clock -> (turn: UInt64, deadline: Time)? in
            guard var begun = clock else { return nil }
            begun.turn &+= 1
            begun.movesOfTimer = begun.moves
            begun.setter = .current
            clock = begun
            return (begun.turn, begun.deadline)
        }
        guard let (turn, deadline) = begun else { return }
        let timer = relay.scheduler.schedule(
            ScheduledWork { [self] in timerFired(turn) }, after: deadline, interval: relay.interval,
            options: relay.options)
        let superfluous = clock.withLock { clock -> (any Cancellable)? in
            guard clock?.turn == turn else { return timer }
            let previous = clock?.timer
            clock?.timer = timer
            clock?.setter = nil
            return previous
        }
        superfluous?.cancel()
    }

    @usableFromInline
    func timerFired(_ turn: UInt64) {
        let (current, ended) = clock.withLock { clock -> (Clock?, Clock?) in
            guard let current = clock, current.turn == turn else { return (nil, nil) }
            return (current, current.movesOfTimer == current.moves ? clock.take() : nil)
        }
        guard let current else { return }
        // As in Combine: on such a scheduler the time is up before it begins.
        precondition(current.setter != .current, "a scheduler that runs timers at once cannot measure a time-out")
        guard let ended else { return setTimer(of: current.relay) }
        ended.timer?.cancel()
        current.relay.timeOut()
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        let first = clock.withLock { clock -> Relay? in
            guard clock?.isRequested == false else { return nil }
            clock?.isRequested = true
            return clock?.relay
        }
        if let first, first.limit != .total {
            restartClock(of: first)
            setTimer(of: first)
        }
        super.request(demand)
    }

    @usableFromInline
    override func cancel() {
        stopClock()
        super.cancel()
    }
}
