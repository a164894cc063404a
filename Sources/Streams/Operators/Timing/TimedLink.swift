/// A relay that is told when its time is up.
@usableFromInline
protocol TimedRelay: DeliveryRelay {
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
/// A value only moves the deadline. The timer looks at that when it fires, and is set anew if there is time left: there is one at
/// most in an interval, however many values there are. It holds this link, which holds the relay while the clock runs.
@usableFromInline
// Safe because what changes is behind a lock.
final class TimedLink<Relay: TimedRelay>: DeliveryLink<Relay>, @unchecked Sendable {
    @usableFromInline typealias Time = Relay.Context.SchedulerTimeType

    /// A running clock.
    @usableFromInline
    struct Clock {
        @usableFromInline let relay: Relay
        @usableFromInline var deadline: Time
        @usableFromInline var timer: (any Cancellable)?
        @usableFromInline var isRequested = false

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
        setTimer(of: relay, at: deadline)
    }

    @inlinable
    func restartClock(of relay: Relay) {
        let deadline = relay.scheduler.now.advanced(by: relay.interval)
        clock.withLock { $0?.deadline = deadline }
    }

    @usableFromInline
    func stopClock() {
        let stopped = clock.withLock { $0.take() }
        stopped?.timer?.cancel()
    }

    @usableFromInline
    func setTimer(of relay: Relay, at date: Time) {
        let timer = relay.scheduler.schedule(
            ScheduledWork { [self] in timerFired() }, after: date, interval: relay.interval, options: relay.options)
        let superfluous = clock.withLock { clock -> (any Cancellable)? in
            guard clock != nil else { return timer }
            let previous = clock?.timer
            clock?.timer = timer
            return previous
        }
        superfluous?.cancel()
    }

    @usableFromInline
    func timerFired() {
        guard let relay = clock.withLock({ $0 })?.relay else { return }
        let now = relay.scheduler.now
        let (deadline, ended) = clock.withLock { clock -> (Time?, Clock?) in
            guard let deadline = clock?.deadline else { return (nil, nil) }
            return deadline > now ? (deadline, nil) : (nil, clock.take())
        }
        if let deadline { return setTimer(of: relay, at: deadline) }
        guard let ended else { return }
        ended.timer?.cancel()
        relay.timeOut()
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        let first = clock.withLock { clock -> Relay? in
            guard clock?.isRequested == false else { return nil }
            clock?.isRequested = true
            return clock?.relay
        }
        if let first, first.limit != .total { restartClock(of: first) }
        super.request(demand)
    }

    @usableFromInline
    override func cancel() {
        stopClock()
        super.cancel()
    }
}
