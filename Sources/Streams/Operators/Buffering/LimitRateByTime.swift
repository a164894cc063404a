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
            let link = LimitRateByTimeLink(
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
        let link: LimitRateByTimeLink<Context>

        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            link.recordArrival { downstream.receive(input) }
            return .none
        }

        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            link.stop()
            downstream.receive(completion: completion)
        }
    }
}

/// The demand of one subscriber, and the values that it may request at this time.
///
/// A value takes a permit from its request until an interval after its arrival. A timer runs while there is demand
/// without a permit. Requests, arrivals and the timer pass through a serial drain, whose draining thread owns the state:
/// so the requests of synchronous sources and timers that fire at once do not nest on the stack (rule 5).
// Safe because the drain makes all access to the mutable state serial, and the rest is constant.
final class LimitRateByTimeLink<Context: Scheduler>: UpstreamLink, @unchecked Sendable {
    typealias Time = Context.SchedulerTimeType

    private enum Input {
        case request(Subscribers.Demand)
        case arrival(Time, additional: Subscribers.Demand)
        /// The timer for a time has fired.
        case fired(Time, generation: UInt64)
        case stop
    }

    private let count: Int
    private let interval: Time.Stride
    private let scheduler: Context
    private let options: Context.SchedulerOptions?
    private let drain = SerialDrain<Input>()

    // Owned by the draining thread.
    /// The demand that has not been requested from the upstream.
    @exclusivity(unchecked) private var demand = Subscribers.Demand.none
    /// The number of values that were requested and have not arrived.
    @exclusivity(unchecked) private var outstanding = 0
    /// The times at which the permits of the latest values return. No more than ``count`` matter.
    @exclusivity(unchecked) private var returns = RingBuffer<Time>()
    @exclusivity(unchecked) private var timer = TimerSlot()
    @exclusivity(unchecked) private var isTimerRunning = false
    @exclusivity(unchecked) private var isOver = false

    init(count: Int, interval: Time.Stride, scheduler: Context, options: Context.SchedulerOptions?) {
        self.count = count
        self.interval = interval
        self.scheduler = scheduler
        self.options = options
        super.init("LimitRateByTime")
    }

    override func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        submit(.request(demand))
    }

    override func cancel() {
        super.cancel()
        stop()
    }

    /// Records that a value has arrived, and the demand that the subscriber returns for it.
    func recordArrival(_ deliver: () -> Subscribers.Demand) {
        let time = scheduler.now
        submit(.arrival(time, additional: deliver()))
    }

    /// Stops the timer.
    func stop() {
        submit(.stop)
    }
}

// MARK: The draining thread

extension LimitRateByTimeLink {
    private func submit(_ input: Input) {
        drain.submit(input, handle)
    }

    private func handle(_ input: Input) {
        guard !isOver else { return }
        switch input {
        case .request(let demand):
            self.demand += demand
            requestPortion(at: scheduler.now)
        case .arrival(let time, let additional):
            if outstanding > 0 { outstanding -= 1 }
            if returns.count == count { returns.popFirst() }
            returns.append(time.advanced(by: interval))
            demand += additional
            requestPortion(at: scheduler.now)
        case .fired(let time, let generation):
            // One that repeats before it is cancelled is of an earlier generation.
            guard generation == timer.generation else { return }
            stopTimer()
            // The clock may not have reached the time.
            requestPortion(at: max(scheduler.now, time))
        case .stop:
            isOver = true
            stopTimer()
        }
    }

    /// Requests what the permits allow, and sets a timer for the rest of the demand.
    private func requestPortion(at now: Time) {
        while let time = returns.first, time <= now { returns.popFirst() }
        let permits = count - outstanding - returns.count
        let portion = min(demand.max ?? permits, permits)
        if portion > 0 {
            outstanding += portion
            demand -= portion
            super.request(.max(portion))
        }
        guard !isTimerRunning, demand > .none, let time = returns.first else { return }
        startTimer(at: time)
    }

    private func startTimer(at time: Time) {
        isTimerRunning = true
        let generation = timer.generation
        let job = ScheduledJob { [self] _ in submit(.fired(time, generation: generation)) }
        let started = scheduler.startTimer(at: time, interval: interval, options: options, job)
        if !timer.store(started, generation: generation) { started.cancel() }
    }

    private func stopTimer() {
        isTimerRunning = false
        timer.advance()?.cancel()
    }
}
