extension Publisher {
    /// Collects values into arrays and publishes one at the end of each period, or as soon as it is full.
    ///
    /// ```
    /// ──1─2───────3─|
    ///   collect(.byTime(queue, .seconds(4)))
    /// ──────[1,2]───[3]|     on the queue
    /// ```
    ///
    /// The first period begins with the subscription. A period without values publishes nothing.
    ///
    /// **Demand.** By time, all values are requested. By time or count, as many values are requested as the requested
    /// arrays can hold. Values that are collected without demand are kept until the end of the period in which an array
    /// is requested.
    ///
    /// **Completion.** Collected values are delivered before the end, as demand allows. A failure drops them.
    ///
    /// **Cancellation.** Cancels the upstream and the timer on the calling thread, and drops the collected values.
    ///
    /// **Threads.** The subscription is delivered on the subscribing thread, other signals on the scheduler.
    ///
    /// - Parameters:
    ///   - strategy: The rule for when an array is complete, with the scheduler that measures the time and delivers.
    ///   - options: The scheduler's options.
    @inlinable
    public func collect<S: Scheduler>(
        _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
    ) -> Publishers.CollectByTime<Self, S> {
        Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
    }
}

extension Publishers {
    /// A publisher that collects values of its upstream into arrays, by time.
    public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The rule for when an array is complete.
        public let strategy: TimeGroupingStrategy<Context>

        /// The scheduler's options.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher of ``Publisher/collect(_:options:)``.
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
    final class Inner<Downstream: Subscriber>: ScheduledReceiver
    where Downstream.Input == [Upstream.Output], Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let strategy: Publishers.TimeGroupingStrategy<Context>
        @usableFromInline let options: Context.SchedulerOptions?
        @usableFromInline let link: CollectByTimeLink<Downstream>

        @inlinable
        init(
            downstream: Downstream, strategy: Publishers.TimeGroupingStrategy<Context>,
            options: Context.SchedulerOptions?
        ) {
            self.downstream = downstream
            self.strategy = strategy
            self.options = options
            link = CollectByTimeLink(limit: strategy.limit)
        }

        deinit {
            // The upstream has released this subscriber, and nothing is collected: the timer has no more work.
            link.stopTimer()
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            link.queue.deferringJobs(for: self) { downstream.receive(subscription: link) }
            if strategy.limit == nil { link.upstream?.request(.unlimited) }
            guard link.isActive else { return }
            let (scheduler, interval) = strategy.clock
            let job = ScheduledJob { [link] _ in link.periodEnded() }
            let date = scheduler.now.advanced(by: interval)
            link.store(scheduler.startTimer(at: date, interval: interval, options: options, job))
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            if link.isActive, link.collect(input, for: self) { scheduleJob() }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            link.stopTimer()
            if link.complete(with: completion, for: self) { scheduleJob() }
        }

        @inlinable
        func scheduleJob(for entry: Signal<Downstream.Input, Downstream.Failure>) {
            scheduleJob()
        }

        @inlinable
        func scheduleJob() {
            strategy.clock.scheduler.schedule(options: options, link.queue.action)
        }
    }
}

extension Publishers.CollectByTime {
    /// The subscription that collects values. Complete arrays that are wanted enter the queue under its lock.
    @usableFromInline
    final class CollectByTimeLink<Downstream: Subscriber>: UpstreamLink
    where Downstream.Input == [Upstream.Output], Downstream.Failure == Upstream.Failure {
        @usableFromInline
        struct State {
            @usableFromInline var elements = RingBuffer<Upstream.Output>()
            /// The subscriber, exactly while there are elements.
            @usableFromInline var receiver: Inner<Downstream>?
            @usableFromInline var timer = TimerSlot()
            /// The number of arrays that the subscriber still wants.
            @usableFromInline var demand = Subscribers.Demand.none
            /// The number of values that were requested and have not come yet, if the arrays are limited.
            @usableFromInline var outstanding = Subscribers.Demand.none
            /// Whether the upstream has finished: the completion follows the elements.
            @usableFromInline var isFinished = false
            /// Whether nothing is collected any more.
            @usableFromInline var isOver = false

            @inlinable
            init() {}
        }

        @usableFromInline let limit: Int?
        @usableFromInline let queue: ScheduledQueue<Inner<Downstream>>

        /// The queue's lock may be taken inside this one, never the other way round.
        @usableFromInline let state = Locked(State())

        @inlinable
        init(limit: Int?) {
            if let limit { precondition(limit > 0, "the size of an array must be positive") }
            self.limit = limit
            queue = ScheduledQueue()
            super.init("CollectByTime")
        }

        /// Adds a value.
        ///
        /// - Returns: Whether the caller has to schedule a job.
        @inlinable
        func collect(_ input: Upstream.Output, for receiver: Inner<Downstream>) -> Bool {
            state.withLock { state in
                guard !state.isOver else { return false }
                state.elements.append(input)
                state.receiver = receiver
                state.outstanding -= 1
                return enqueueGroups(of: &state)
            }
        }

        /// Adds the completion, behind the elements if the upstream has finished.
        ///
        /// - Returns: Whether the caller has to schedule a job.
        @inlinable
        func complete(
            with completion: Subscribers.Completion<Upstream.Failure>, for receiver: Inner<Downstream>
        ) -> Bool {
            let (needsJob, dropped) = state.withLock { state -> (Bool, State?) in
                guard !state.isOver else { return (false, nil) }
                if case .finished = completion, !state.elements.isEmpty {
                    state.isFinished = true
                    return (enqueueGroups(of: &state), nil)
                }
                let dropped = exchange(&state, with: State())
                state.isOver = true
                return (queue.append(.completion(completion), isLast: true, for: receiver), dropped)
            }
            withExtendedLifetime(dropped) {}
            return needsJob
        }

        /// Delivers the elements. Called on the scheduler.
        @usableFromInline
        func periodEnded() {
            let (needsJob, receiver) = state.withLock { state in
                let receiver = state.receiver
                return (enqueueGroups(of: &state, isPeriodOver: true), receiver)
            }
            if needsJob { queue.run() }
            withExtendedLifetime(receiver) {}
        }

        /// Moves the arrays that are complete and wanted to the queue, and the completion after the last of them.
        ///
        /// - Returns: Whether the caller, which holds the subscriber, has to schedule or run a job.
        @usableFromInline
        func enqueueGroups(of state: inout State, isPeriodOver: Bool = false) -> Bool {
            guard let receiver = state.receiver else { return false }
            var needsJob = false
            while !state.elements.isEmpty {
                let isFull = limit.map { state.elements.count >= $0 } ?? false
                guard isPeriodOver || isFull || state.isFinished, state.demand > .none else { return needsJob }
                state.demand -= 1
                let isFirst = queue.append(.value(takeGroup(from: &state.elements)), for: receiver)
                needsJob = needsJob || isFirst
            }
            state.receiver = nil
            if state.isFinished {
                state.isOver = true
                let isFirst = queue.append(.completion(.finished), isLast: true, for: receiver)
                needsJob = needsJob || isFirst
            }
            return needsJob
        }

        private func takeGroup(from elements: inout RingBuffer<Upstream.Output>) -> [Upstream.Output] {
            let size = limit.map { Swift.min($0, elements.count) } ?? elements.count
            var group: [Upstream.Output] = []
            group.reserveCapacity(size)
            while group.count < size, let element = elements.popFirst() { group.append(element) }
            return group
        }

        @usableFromInline
        override func request(_ demand: Subscribers.Demand) {
            let (receiver, needsJob, missing) = state.withLock { state in
                state.demand += demand
                let receiver = state.receiver
                let needsJob = enqueueGroups(of: &state)
                return (receiver, needsJob, requestMissing(in: &state))
            }
            if needsJob { receiver?.scheduleJob() }
            if missing > .none, !queue.withholds(missing) { upstream?.request(missing) }
        }

        /// Returns the number of values to request for the wanted arrays, less demand that earlier ones left unused.
        private func requestMissing(in state: inout State) -> Subscribers.Demand {
            guard let limit, state.outstanding != .unlimited else { return .none }
            let missing = state.demand * limit - state.elements.count - state.outstanding
            state.outstanding += missing
            return missing
        }

        /// Keeps the timer until it is stopped. Cancels it if the stream is over.
        @usableFromInline
        func store(_ timer: any Cancellable) {
            let isStored = state.withLock { $0.isOver ? false : $0.timer.store(timer, generation: 0) }
            if !isStored { timer.cancel() }
        }

        @usableFromInline
        func stopTimer() {
            state.withLock { $0.timer.advance() }?.cancel()
        }

        @usableFromInline
        override func cancel() {
            let ended = state.withLock { state in
                let ended = exchange(&state, with: State())
                state.isOver = true
                return ended
            }
            ended.timer.cancel()
            queue.cancel()
            super.cancel()
        }
    }
}

extension Publishers {
    /// The rule for when an array of collected values is complete.
    public enum TimeGroupingStrategy<Context: Scheduler> {
        /// At the end of each period, on a scheduler's clock.
        case byTime(Context, Context.SchedulerTimeType.Stride)

        /// At the end of each period, on a scheduler's clock, and whenever the array holds a number of values.
        case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)

        /// The scheduler that measures the time, and the length of a period.
        @inlinable var clock: (scheduler: Context, interval: Context.SchedulerTimeType.Stride) {
            switch self {
            case .byTime(let scheduler, let interval), .byTimeOrCount(let scheduler, let interval, _):
                (scheduler, interval)
            }
        }

        /// The largest number of values in an array.
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
