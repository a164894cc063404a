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

/// The demand of one subscriber, and the values that may be requested for it at a time.
///
/// A value takes a permit from its request until an interval after its arrival.
struct RatePermits<Time: Strideable> {
    let count: Int
    let interval: Time.Stride

    /// The demand that has not been requested from the upstream.
    private var demand = Subscribers.Demand.none
    /// The number of values that were requested and have not arrived.
    private var outstanding = 0
    /// The times at which the permits of the latest values return. No more than ``count`` matter.
    private var returns = RingBuffer<Time>()

    init(count: Int, interval: Time.Stride) {
        self.count = count
        self.interval = interval
    }

    mutating func add(_ demand: Subscribers.Demand) {
        self.demand += demand
    }

    mutating func addArrival(at time: Time) {
        if outstanding > 0 { outstanding -= 1 }
        if returns.count == count { returns.popFirst() }
        returns.append(time.advanced(by: interval))
    }

    /// Takes the permits that are available, as far as there is demand.
    ///
    /// - Returns: The number of values to request.
    mutating func takePortion(at now: Time) -> Int {
        while let time = returns.first, time <= now { returns.popFirst() }
        let permits = count - outstanding - returns.count
        let portion = max(0, min(demand.max ?? permits, permits))
        outstanding += portion
        demand -= portion
        return portion
    }

    /// The time at which the next permit returns, nil unless there is demand that waits for one.
    var nextReturn: Time? { demand > .none ? returns.first : nil }
}

/// The permits of one subscription, and the timer that runs while there is demand without a permit.
///
/// Requests, arrivals and the timer are events of a ``StateDrain``: so the requests of synchronous sources and timers that
/// fire at once do not nest on the stack (rule 5).
// Safe because the drain makes all access to the state serial, and the rest is constant.
final class LimitRateByTimeLink<Context: Scheduler>: UpstreamLink, @unchecked Sendable {
    typealias Time = Context.SchedulerTimeType

    private enum Input {
        case request(Subscribers.Demand)
        case arrival(Time, additional: Subscribers.Demand)
        /// The timer for a time has fired.
        case fired(Time, generation: UInt64)
        case stop
    }

    private struct State: DrainState {
        var permits: RatePermits<Time>
        var timer = TimerSlot()
        var isTimerRunning = false
        var requests = LinkRequests()
    }

    private let scheduler: Context
    private let options: Context.SchedulerOptions?
    private let drain: StateDrain<State, Input>

    init(count: Int, interval: Time.Stride, scheduler: Context, options: Context.SchedulerOptions?) {
        self.scheduler = scheduler
        self.options = options
        drain = StateDrain(State(permits: RatePermits(count: count, interval: interval)))
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

    /// Stops the timer. The link is terminal.
    func stop() {
        submit(.stop)
    }

    private func submit(_ input: Input) {
        drain.submit(input, for: self) { $0.handle($1, &$2) }
    }

    private func handle(_ input: Input, _ state: inout State) {
        switch input {
        case .request(let demand):
            state.permits.add(demand)
            requestPortion(at: scheduler.now, &state)
        case .arrival(let time, let additional):
            state.permits.addArrival(at: time)
            state.permits.add(additional)
            requestPortion(at: scheduler.now, &state)
        case .fired(let time, let generation):
            // One that repeats before it is cancelled is of an earlier generation.
            guard generation == state.timer.generation else { return }
            stopTimer(&state)
            // The clock may not have reached the time.
            requestPortion(at: max(scheduler.now, time), &state)
        case .stop:
            stopTimer(&state)
        }
    }

    /// Requests what the permits allow, and sets a timer for the rest of the demand.
    private func requestPortion(at now: Time, _ state: inout State) {
        guard !isTerminal else { return }
        state.requests.add(.max(state.permits.takePortion(at: now)), to: self)
        if !state.isTimerRunning, let time = state.permits.nextReturn { startTimer(at: time, &state) }
    }

    private func startTimer(at time: Time, _ state: inout State) {
        state.isTimerRunning = true
        let generation = state.timer.generation
        let job = ScheduledJob { [self] _ in submit(.fired(time, generation: generation)) }
        let interval = state.permits.interval
        let started = scheduler.startTimer(at: time, interval: interval, options: options, job)
        if !state.timer.store(started, generation: generation) { started.cancel() }
    }

    private func stopTimer(_ state: inout State) {
        state.isTimerRunning = false
        state.timer.advance()?.cancel()
    }
}
