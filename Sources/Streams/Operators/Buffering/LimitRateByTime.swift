extension Publisher {
    /// Requests values no faster than at a rate, and loses none.
    ///
    /// ```
    ///   limitRate(2, per: .seconds(1), scheduler: queue)
    ///   requests 2 values, and one more a second after the arrival of each
    /// ──1─2────────3─4────────5─6──
    /// ```
    ///
    /// No more than `count` values arrive within any interval. A source that waits for demand, such as a sequence, is
    /// slowed down: nothing is buffered or dropped. In front of `flatMap`, it limits the rate of requests to a service.
    ///
    /// **Demand.** At most `count` values are outstanding or have arrived within the last interval, and at most as many as
    /// the subscriber has requested are requested. A source that ignores demand is not slowed down.
    ///
    /// **Completion** passes through at once. **Cancellation** stops the timer, too.
    ///
    /// **Threads.** Values come on the thread that sends them. The scheduler's clock measures the interval, and a timer on
    /// it makes the requests that had to wait. No timer runs otherwise.
    ///
    /// - Parameters:
    ///   - count: The largest number of values in an interval, at least one.
    ///   - interval: The length of the interval, on the scheduler's clock.
    ///   - scheduler: The scheduler that measures the time and makes requests.
    ///   - options: The scheduler's options.
    public func limitRate<S: Scheduler>(
        _ count: Int, per interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Operators.LimitRateByTime<Self, S> {
        Operators.LimitRateByTime(
            upstream: self, count: count, interval: interval, scheduler: scheduler, options: options)
    }
}

extension Operators {
    /// A publisher that limits the number of values in an interval.
    public struct LimitRateByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The largest number of values in an interval.
        public let count: Int

        /// The length of the interval.
        public let interval: Context.SchedulerTimeType.Stride

        /// The scheduler that measures the time and makes requests.
        public let scheduler: Context

        /// The scheduler's options.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher of ``Publisher/limitRate(_:per:scheduler:options:)``. The count is at least one.
        public init(
            upstream: Upstream, count: Int, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?
        ) {
            precondition(count > 0, "the count must be at least one")
            self.upstream = upstream
            self.count = count
            self.interval = interval
            self.scheduler = scheduler
            self.options = options
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let link = LimitRateByTimeSubscription(
                count: count, interval: interval, scheduler: scheduler, options: options)
            upstream.subscribe(Inner(downstream: subscriber, link: link))
        }
    }
}

extension Operators.LimitRateByTime: Sendable
where
    Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable,
    Context.SchedulerTimeType.Stride: Sendable
{}

extension Operators.LimitRateByTime {
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        let downstream: Downstream
        let link: LimitRateByTimeSubscription<Context>

        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            link.countArrival()
            return link.admit(downstream.receive(input))
        }

        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            link.stopTimer()
            if link.complete() { downstream.receive(completion: completion) }
        }
    }
}

/// The demand of one subscriber, and the values that it may request at this time.
///
/// A value takes a permit from its request until an interval after its arrival. At most one timer is running or being
/// handled. It makes one request, when the oldest permit returns.
final class LimitRateByTimeSubscription<Context: Scheduler>: UpstreamLink,
    // Safe because a lock guards the state, and the rest is constant.
    @unchecked Sendable
{
    typealias Time = Context.SchedulerTimeType

    private struct State {
        /// The demand that has not been requested from the upstream.
        var demand = Subscribers.Demand.none
        /// The number of values that were requested and have not arrived.
        var outstanding = 0
        /// The times at which the permits of the values that arrived last return.
        var returns = RingBuffer<Time>()
        var timer = SerialTimer()
        /// Whether a timer is running or being handled.
        var isBusy = false
        var isOver = false
    }

    private let count: Int
    private let interval: Time.Stride
    private let scheduler: Context
    private let options: Context.SchedulerOptions?
    private let state = Locked(State())

    init(count: Int, interval: Time.Stride, scheduler: Context, options: Context.SchedulerOptions?) {
        self.count = count
        self.interval = interval
        self.scheduler = scheduler
        self.options = options
    }

    override var description: String { "LimitRateByTime" }

    override func request(_ demand: Subscribers.Demand) {
        super.request(admit(demand))
    }

    override func cancel() {
        stopTimer()
        super.cancel()
    }

    /// Records that a value has arrived, requested or not.
    func countArrival() {
        let time = scheduler.now.advanced(by: interval)
        state.withLock { state in
            if state.outstanding > 0 { state.outstanding -= 1 }
            state.returns.append(time)
        }
    }

    /// Adds demand of the subscriber.
    ///
    /// - Returns: The demand to request from the upstream now. A timer requests the rest.
    func admit(_ demand: Subscribers.Demand) -> Subscribers.Demand {
        let now = scheduler.now
        let (portion, mustTime) = state.withLock { state in
            state.demand += demand
            let portion = takePortion(&state, now)
            guard !state.isBusy, needsTimer(state) else { return (portion, false) }
            state.isBusy = true
            return (portion, true)
        }
        if mustTime { setTimers() }
        return portion
    }

    func stopTimer() {
        let timer = state.withLock { state in
            state.isOver = true
            return state.timer.stop()
        }
        timer?.cancel()
    }

    private func takePortion(_ state: inout State, _ now: Time) -> Subscribers.Demand {
        while let time = state.returns.first, time <= now { state.returns.popFirst() }
        let permits = count - state.outstanding - state.returns.count
        let portion = min(state.demand.max ?? permits, permits)
        guard portion > 0 else { return .none }
        state.outstanding += portion
        state.demand -= portion
        return .max(portion)
    }

    private func needsTimer(_ state: State) -> Bool {
        !state.isOver && state.demand > .none && !state.returns.isEmpty
    }
}

// MARK: The timer

extension LimitRateByTimeSubscription {
    /// Sets a timer for the next permit that returns, and the one after it if that fires at once.
    private func setTimers() {
        while let (time, generation) = nextTimer() {
            let job = ScheduledJob { [self] _ in fire(at: time, generation) }
            let timer = scheduler.startTimer(at: time, interval: interval, options: options, job)
            let (isStored, hasFired) = state.withLock { $0.timer.endSetting(timer, generation: generation) }
            if !isStored { timer.cancel() }
            guard hasFired else { return }
            requestPortion(at: time)
        }
    }

    /// Returns the time of the next timer and its generation; `nil` if none is needed, so that the next request sets one.
    private func nextTimer() -> (Time, UInt64)? {
        state.withLock { state in
            guard needsTimer(state), let time = state.returns.first else {
                state.isBusy = false
                return nil
            }
            return (time, state.timer.beginSetting())
        }
    }

    private func fire(at time: Time, _ generation: UInt64) {
        let (timer, isHandler) = state.withLock { $0.timer.fire(generation) }
        timer?.cancel()
        guard isHandler else { return }
        requestPortion(at: time)
        setTimers()
    }

    /// Requests what the permits allow at the time of a timer, which a clock may not have reached yet.
    private func requestPortion(at time: Time) {
        let now = max(scheduler.now, time)
        super.request(state.withLock { takePortion(&$0, now) })
    }
}
