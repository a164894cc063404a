extension Operators {
    /// A publisher of the numbers of the ticks of a clock: 0, 1, 2 and so on, at equal intervals.
    ///
    /// ```swift
    /// for await _ in Operators.Interval(every: .seconds(60), scheduler: DispatchQueue.global()).values {
    ///     await refresh()
    /// }
    /// ```
    ///
    /// ```
    ///   Operators.Interval(every: .seconds(2), scheduler: queue)
    /// ────0────1────2────3──
    /// ```
    ///
    /// Each subscription has a clock of its own. The times of its ticks are multiples of the interval, counted from the
    /// subscription, so they do not drift: a tick that is delivered late does not delay the next one.
    ///
    /// **Demand.** Ticks without demand are conflated: the next request is answered at once by the newest of
    /// them, and its number tells how many were missed. So if the work for a tick takes longer than the interval, the
    /// following work begins without a delay, and ticks do not pile up. There is no timer while nothing is requested.
    ///
    /// **Completion.** Never completes.
    ///
    /// **Cancellation.** Cancels the timer, on the calling thread.
    ///
    /// **Threads.** Ticks are delivered on the scheduler, one after another also on a concurrent one.
    public struct Interval<Context: Scheduler>: Publisher {
        public typealias Output = Int
        public typealias Failure = Never

        /// The time between two ticks.
        public let interval: Context.SchedulerTimeType.Stride

        /// The time from the subscription to the first tick.
        public let initialDelay: Context.SchedulerTimeType.Stride

        /// The scheduler that measures the time and delivers.
        public let scheduler: Context

        /// The scheduler's options.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher.
        ///
        /// - Parameters:
        ///   - interval: The time between two ticks, on the scheduler's clock. If it is not positive, ticks follow each
        ///     other as fast as they are requested.
        ///   - initialDelay: The time from the subscription to the first tick, nil for the interval.
        ///   - scheduler: The scheduler that measures the time and delivers.
        ///   - options: The scheduler's options.
        public init(
            every interval: Context.SchedulerTimeType.Stride,
            after initialDelay: Context.SchedulerTimeType.Stride? = nil,
            scheduler: Context,
            options: Context.SchedulerOptions? = nil
        ) {
            self.interval = Swift.max(interval, .zero)
            self.initialDelay = initialDelay ?? interval
            self.scheduler = scheduler
            self.options = options
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let subscription = IntervalSubscription(self, downstream: subscriber)
            subscriber.receive(subscription: subscription)
            subscription.start()
        }
    }
}

extension Operators.Interval: Sendable
where Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable {}

/// The clock of one subscriber. Its timer runs while a tick is requested.
///
/// A timer is used for one tick, and the next one is set to a time counted from the start. At most one timer is running
/// or being handled, so ticks are serial on a concurrent scheduler too.
private final class IntervalSubscription<Downstream: Subscriber, Context: Scheduler>: NamedSubscription
where Downstream.Input == Int, Downstream.Failure == Never {
    private typealias Stride = Context.SchedulerTimeType.Stride

    private struct State {
        /// The subscriber, until it cancels.
        var downstream: Downstream?
        var demand = Subscribers.Demand.none
        var timer = TimerSlot()
        /// Whether a timer is running or being handled, or the subscriber is still receiving the subscription.
        var isBusy = true
    }

    private let interval: Stride
    private let scheduler: Context
    private let options: Context.SchedulerOptions?
    private let origin: Context.SchedulerTimeType
    private let state: Locked<State>

    /// Handles the timers. On a scheduler that runs work at once, a timer fires while it is being set.
    private let trampoline = Trampoline()

    // These belong to the thread that has made the state busy.
    @exclusivity(unchecked) private var next = 0
    /// The time of the next tick since the origin. Added to that last, so that floating-point times do not drift.
    @exclusivity(unchecked) private var offset: Stride

    init(_ publisher: Operators.Interval<Context>, downstream: Downstream) {
        interval = publisher.interval
        scheduler = publisher.scheduler
        options = publisher.options
        origin = publisher.scheduler.now
        offset = publisher.initialDelay
        state = Locked(State(downstream: downstream))
    }

    var description: String { "Interval" }

    /// Serves the requests of the subscriber, which has received this subscription.
    func start() {
        if continues() { setTimer() }
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let wasIdle = state.withLock { state in
            state.demand += demand
            return !exchange(&state.isBusy, with: true)
        }
        if wasIdle { setTimer() }
    }

    func cancel() {
        let (downstream, timer) = state.withLock { state in
            // No later request sets a timer.
            state.isBusy = true
            return (state.downstream.take(), state.timer.advance())
        }
        timer?.cancel()
        withExtendedLifetime(downstream) {}
    }

    /// Returns whether another tick is requested. Otherwise the next request sets the timer.
    private func continues() -> Bool {
        state.withLock { state in
            guard state.downstream != nil else { return false }
            state.isBusy = state.demand > .none
            return state.isBusy
        }
    }

    private func setTimer() {
        let generation = state.withLock { $0.timer.generation }
        let job = ScheduledJob { [self] _ in fire(generation) }
        let timer = scheduler.startTimer(at: origin.advanced(by: offset), interval: interval, options: options, job)
        let isStored = state.withLock { state in
            state.downstream != nil && state.timer.store(timer, generation: generation)
        }
        if !isStored { timer.cancel() }
    }

    /// Handles a timer. One that repeats before it is cancelled is of an earlier generation, and ignored.
    private func fire(_ generation: UInt64) {
        let (timer, isCurrent) = state.withLock { state in
            guard state.downstream != nil, generation == state.timer.generation else {
                return ((any Cancellable)?.none, false)
            }
            return (state.timer.advance(), true)
        }
        timer?.cancel()
        guard isCurrent else { return }
        trampoline.run {
            deliverTick()
            if continues() { setTimer() }
        }
    }

    /// Delivers the newest tick that is due.
    private func deliverTick() {
        let delay = origin.advanced(by: offset).distance(to: scheduler.now)
        let (missed, duration) = interval.multiple(upTo: delay)
        let tick = next + missed
        next = tick + 1
        offset += duration + interval
        let downstream = state.withLock { state in
            state.demand -= 1
            return state.downstream
        }
        guard let additional = downstream?.receive(tick), additional > .none else { return }
        state.withLock { $0.demand += additional }
    }
}

extension SchedulerTimeIntervalConvertible where Self: Comparable & SignedNumeric {
    /// Returns the greatest multiple of a positive duration that does not exceed another duration, by doubling: the
    /// durations of schedulers cannot be divided. Returns zero for a duration that is not positive.
    fileprivate func multiple(upTo bound: Self) -> (factor: Int, product: Self) {
        guard self > .zero, self <= bound else { return (0, .zero) }
        var steps = [(factor: 1, product: self)]
        while let last = steps.last, last.factor < 1 << 60, last.product <= bound - last.product {
            steps.append((last.factor * 2, last.product + last.product))
        }
        var result = (factor: 0, product: Self.zero)
        for step in steps.reversed() where step.product <= bound - result.product {
            result = (result.factor + step.factor, result.product + step.product)
        }
        return result
    }
}
