extension Publisher {
    /// Collects values into arrays, one for each period of time, or as soon as there are enough.
    ///
    /// ```
    /// ──1─2───────3─|
    ///   collect(.byTime(queue, .seconds(4)))
    /// ──────[1,2]───[3]|     on the queue
    /// ```
    ///
    /// Periods are counted from the subscription. One without values yields nothing.
    ///
    /// **Demand.** By time, the upstream is asked for all there is; by time or count, for as many values as can be in
    /// the arrays that are wanted, as far as it has not been asked for them yet. What has been collected while no array
    /// is wanted is kept, and delivered at the end of the period in which one is.
    ///
    /// **Completion.** What has been collected is delivered before the end, as demand allows; a failure drops it.
    ///
    /// **Cancellation** passes through at once, on the calling thread; what has been collected is dropped, and the
    /// timer stopped.
    ///
    /// **Threads.** Arrays and the completion are delivered on the scheduler, the subscription on the thread that
    /// subscribes.
    ///
    /// - Parameters:
    ///   - strategy: When an array is complete, and the scheduler to measure time and deliver on.
    ///   - options: Settings for the scheduler.
    @inlinable
    public func collect<S: Scheduler>(
        _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
    ) -> Publishers.CollectByTime<Self, S> {
        Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/collect(_:options:)`` makes.
    public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// When an array is complete.
        public let strategy: TimeGroupingStrategy<Context>

        /// Settings for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Makes the publisher; ``Publisher/collect(_:options:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.strategy = strategy
            self.options = options
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, strategy: strategy, options: options))
        }
    }
}

extension Publishers.CollectByTime: Sendable
where
    Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable,
    Context.SchedulerTimeType.Stride: Sendable
{}

extension Publishers.CollectByTime {
    @usableFromInline
    final class Inner<Downstream: Subscriber>: LinkedSubscriber, TimedReceiver
    where Downstream.Input == [Upstream.Output], Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Waiting = CollectedElements<Upstream.Output>
        @usableFromInline typealias Entry = Signal<Downstream.Input, Downstream.Failure>

        @usableFromInline let downstream: Downstream
        @usableFromInline let strategy: Publishers.TimeGroupingStrategy<Context>
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let link: CollectingQueue<Inner, Upstream.Output>

        @inlinable
        init(
            downstream: Downstream, strategy: Publishers.TimeGroupingStrategy<Context>,
            options: Context.SchedulerOptions?
        ) {
            self.downstream = downstream
            self.strategy = strategy
            self.options = options
            link = CollectingQueue(limit: strategy.limit)
        }

        deinit {
            // The source has gone, with or without a word, and nothing waits: the timer has nothing to do any more.
            link.stopTimer()
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard !link.isActive else { return subscription.cancel() }
            let demand: Subscribers.Demand = strategy.limit == nil ? .unlimited : .none
            link.start(subscription, of: self, demand: demand)
            guard link.isActive else { return }
            let (scheduler, interval) = strategy.clock
            let work = ScheduledWork { [link] in link.periodEnded() }
            let date = scheduler.now.advanced(by: interval)
            link.note(scheduler.schedule(work, after: date, interval: interval, options: options), turn: 0)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            if link.isActive, link.collect(input, for: self) { scheduleJob(at: ()) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            link.stopTimer()
            if link.complete(completion, for: self) { scheduleJob(at: ()) }
        }

        @inlinable
        func scheduleJob(at date: Void) {
            strategy.clock.scheduler.schedule(ScheduledWork { [link] in link.runJob() }, options: options)
        }
    }
}

extension Publishers {
    /// When an array of collected values is complete.
    public enum TimeGroupingStrategy<Context: Scheduler> {
        /// At the end of each period of a length, on a scheduler's clock.
        case byTime(Context, Context.SchedulerTimeType.Stride)

        /// At the end of each period of a length, on a scheduler's clock, and whenever so many values have been
        /// collected.
        case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)

        /// Whose clock counts, and how long a period is.
        @inlinable var clock: (scheduler: Context, interval: Context.SchedulerTimeType.Stride) {
            switch self {
            case .byTime(let scheduler, let interval), .byTimeOrCount(let scheduler, let interval, _):
                (scheduler, interval)
            }
        }

        /// How many values an array has at most.
        @inlinable var limit: Int? {
            switch self {
            case .byTime: nil
            case .byTimeOrCount(_, _, let count): count
            }
        }
    }
}

extension Publishers.TimeGroupingStrategy: Sendable
where Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}

/// What has been collected, and how the stream ended if it has.
@usableFromInline
struct CollectedElements<Element> {
    @usableFromInline var elements = RingBuffer<Element>()
    @usableFromInline var isFinished = false

    @inlinable
    init() {}
}

/// The link that collects for ``Publisher/collect(_:options:)``.
@usableFromInline
final class CollectingQueue<Relay: TimedReceiver, Element>: TimedQueue<Relay>, @unchecked Sendable
where Relay.Downstream.Input == [Element], Relay.Waiting == CollectedElements<Element> {
    // Safe because what changes is behind the lock, and what is inherited is safe.
    @usableFromInline let limit: Int?

    /// What has been asked for and has not come yet, if there is a limit. It belongs to the lock of the timerState.
    @exclusivity(unchecked) @usableFromInline var outstanding = Subscribers.Demand.none

    @inlinable
    init(limit: Int?) {
        if let limit { precondition(limit > 0, "an array must have room for one value at least") }
        self.limit = limit
        super.init("CollectByTime")
    }

    /// Adds a value.
    ///
    /// - Returns: Whether the caller is to see to it that a job runs.
    @inlinable
    func collect(_ input: Element, for relay: Relay) -> Bool {
        timerState.withLock { timerState in
            guard !timerState.isOver else { return false }
            if timerState.waiting == nil {
                timerState.waiting = CollectedElements()
                timerState.relay = relay
            }
            timerState.waiting?.elements.append(input)
            outstanding -= 1
            return deliverGroups(from: &timerState)
        }
    }

    /// Notes the end of the stream.
    ///
    /// - Returns: Whether the caller is to see to it that a job runs.
    @inlinable
    func complete(_ completion: Subscribers.Completion<Relay.Downstream.Failure>, for relay: Relay) -> Bool {
        let (needsJob, before) = timerState.withLock { timerState -> (Bool, TimerState) in
            let before = timerState
            guard !timerState.isOver else { return (false, before) }
            if case .finished = completion, timerState.waiting != nil {
                timerState.waiting?.isFinished = true
                return (deliverGroups(from: &timerState), before)
            }
            timerState.waiting = nil
            timerState.relay = nil
            timerState.isOver = true
            return (append(.completion(completion), isLast: true, for: relay), before)
        }
        withExtendedLifetime(before) {}
        return needsJob
    }

    /// Delivers what has been collected. Called on the scheduler.
    @usableFromInline
    func periodEnded() {
        let (needsJob, relay) = timerState.withLock { timerState in
            let relay = timerState.relay
            return (deliverGroups(from: &timerState, isDue: true), relay)
        }
        if needsJob { runJob() }
        withExtendedLifetime(relay) {}
    }

    /// Puts the arrays that are complete and wanted into the queue for delivery, and the completion after the last of
    /// them.
    ///
    /// - Returns: Whether the caller is to see to it that a job runs.
    @usableFromInline
    func deliverGroups(from timerState: inout TimerState, isDue: Bool = false) -> Bool {
        guard let relay = timerState.relay, var groups = timerState.waiting.take() else { return false }
        var needsJob = false
        while !groups.elements.isEmpty {
            let isFull = limit.map { groups.elements.count >= $0 } ?? false
            guard isDue || isFull || groups.isFinished, timerState.takeDemand() else { break }
            let group = takeGroup(from: &groups.elements)
            needsJob = append(.value(group), isLast: false, for: relay) || needsJob
        }
        if groups.elements.isEmpty {
            timerState.relay = nil
            if groups.isFinished {
                timerState.isOver = true
                needsJob = append(.completion(.finished), isLast: true, for: relay) || needsJob
            }
        } else {
            timerState.waiting = groups
        }
        return needsJob
    }

    private func takeGroup(from elements: inout RingBuffer<Element>) -> [Element] {
        let size = limit.map { Swift.min($0, elements.count) } ?? elements.count
        var group: [Element] = []
        group.reserveCapacity(size)
        while group.count < size, let element = elements.popFirst() { group.append(element) }
        return group
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        let (relay, needsJob, missing) = timerState.withLock { timerState -> (Relay?, Bool, Subscribers.Demand) in
            timerState.demand += demand
            let relay = timerState.relay
            let needsJob = deliverGroups(from: &timerState)
            return (relay, needsJob, takeMissing(in: timerState))
        }
        if needsJob { relay?.scheduleJob(at: ()) }
        if missing > .none { requestUpstream(missing) }
    }

    /// How many values are to be asked for so that there will be enough for all the arrays that are wanted. What the
    /// clock has left unused of earlier demand counts.
    private func takeMissing(in timerState: TimerState) -> Subscribers.Demand {
        guard let limit, outstanding != .unlimited else { return .none }
        let collected = timerState.waiting?.elements.count ?? 0
        let missing = timerState.demand * limit - collected - outstanding
        outstanding += missing
        return missing
    }

    /// What has been collected is kept for the subscriber.
    @usableFromInline override var dropsUnrequestedValues: Bool { false }
}
