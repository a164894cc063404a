extension Publisher where Output: Sendable {
    /// Transforms each value by asynchronous work and publishes the results, in the order of the values by default.
    ///
    /// ```
    /// ──1──────2──3────────────|
    ///   asyncMap(maxConcurrent: 2) { await price(of: $0) }
    /// ───────A───────B──C──|          the results of 2 and 3 are awaited at the same time
    /// ```
    ///
    /// Results that are ready early are buffered. With `ordered: false`, each result is published when it is ready, so
    /// that one slow value does not hold up the others.
    ///
    /// **Demand.** `maxConcurrent` values are requested at the start, and another one for each result that is delivered,
    /// whatever the subscriber requests. So the work runs concurrently for a subscriber that requests one result at a time
    /// too, such as `values`, and at most `maxConcurrent` results are being computed or buffered. Put
    /// ``onBackpressureBuffer()`` behind a source that drops values without demand, such as a subject.
    ///
    /// **Completion** follows the results of all values before it, a failure too. An error that the closure throws
    /// follows the earlier results, and cancels the upstream and all tasks.
    ///
    /// **Cancellation** cancels the upstream and all tasks, on the calling thread.
    ///
    /// **Threads.** The closure runs in a task for each value. Results are delivered on the tasks' threads.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The largest number of results that are computed or buffered at a time, at least one.
    ///   - ordered: Whether the results are published in the order of the values.
    ///   - priority: The priority of the tasks, nil for that of the delivering thread.
    ///   - executor: The executor that the tasks prefer, nil for the global pool.
    ///   - transform: A closure that computes the result. For one that throws any error, see `asyncTryMap`.
    @preconcurrency
    public func asyncMap<T: Sendable>(
        maxConcurrent: Int = 1, ordered: Bool = true, priority: TaskPriority? = nil,
        executorPreference executor: (any TaskExecutor)? = nil,
        _ transform: @escaping @Sendable (Output) async throws(Failure) -> T
    ) -> Operators.AsyncMap<Self, T> {
        Operators.AsyncMap(
            upstream: self, maxConcurrent: maxConcurrent, isOrdered: ordered, priority: priority,
            executorPreference: executor, transform: transform)
    }

    /// Transforms each value by asynchronous work that may throw any error.
    ///
    /// Otherwise it is like ``asyncMap(maxConcurrent:ordered:priority:executorPreference:_:)``.
    ///
    /// ```
    /// ──1──2───────|
    ///   asyncTryMap { try await load($0) }
    /// ────A───✕ E
    /// ```
    ///
    /// - Parameters:
    ///   - maxConcurrent: The largest number of results that are computed or buffered at a time, at least one.
    ///   - ordered: Whether the results are published in the order of the values.
    ///   - priority: The priority of the tasks, nil for that of the delivering thread.
    ///   - executor: The executor that the tasks prefer, nil for the global pool.
    ///   - transform: A closure that computes the result. An error that it throws ends the stream.
    @preconcurrency
    public func asyncTryMap<T: Sendable>(
        maxConcurrent: Int = 1, ordered: Bool = true, priority: TaskPriority? = nil,
        executorPreference executor: (any TaskExecutor)? = nil,
        _ transform: @escaping @Sendable (Output) async throws -> T
    ) -> Operators.AsyncMap<Publishers.MapError<Self, any Error>, T> {
        Operators.AsyncMap(
            upstream: mapError { $0 }, maxConcurrent: maxConcurrent, isOrdered: ordered, priority: priority,
            executorPreference: executor, transform: transform)
    }
}

extension Operators {
    /// A publisher of the results of asynchronous work for each value.
    public struct AsyncMap<Upstream: Publisher, Output: Sendable>: Publisher where Upstream.Output: Sendable {
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The largest number of results that are computed or buffered at a time.
        public let maxConcurrent: Int

        /// Whether the results are published in the order of the values.
        public let isOrdered: Bool

        /// The priority of the tasks, nil for that of the delivering thread.
        public let priority: TaskPriority?

        /// The asynchronous work for a value.
        public let transform: @Sendable (Upstream.Output) async throws(Failure) -> Output

        @usableFromInline let executor: (any TaskExecutor)?

        /// Creates the publisher of ``Publisher/asyncMap(maxConcurrent:ordered:priority:executorPreference:_:)``.
        @preconcurrency
        public init(
            upstream: Upstream, maxConcurrent: Int, isOrdered: Bool = true, priority: TaskPriority? = nil,
            executorPreference executor: (any TaskExecutor)? = nil,
            transform: @escaping @Sendable (Upstream.Output) async throws(Failure) -> Output
        ) {
            precondition(maxConcurrent > 0, "maxConcurrent must be at least one")
            self.upstream = upstream
            self.maxConcurrent = maxConcurrent
            self.isOrdered = isOrdered
            self.priority = priority
            self.transform = transform
            self.executor = executor
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let buffer = DemandBuffer("AsyncMap", downstream: subscriber, passesDemand: true)
            let link = AsyncMapLink(limit: maxConcurrent, isOrdered: isOrdered, buffer: buffer)
            upstream.subscribe(Inner(link: link, priority: priority, executor: executor, transform: transform))
        }
    }
}

extension Operators.AsyncMap: Sendable where Upstream: Sendable {}

extension Operators.AsyncMap {
    @usableFromInline
    struct Inner: Subscriber {
        @usableFromInline let link: AsyncMapLink<Output, Failure>
        @usableFromInline let priority: TaskPriority?
        @usableFromInline let executor: (any TaskExecutor)?
        @usableFromInline let transform: @Sendable (Upstream.Output) async throws(Failure) -> Output

        @inlinable
        init(
            link: AsyncMapLink<Output, Failure>, priority: TaskPriority?, executor: (any TaskExecutor)?,
            transform: @escaping @Sendable (Upstream.Output) async throws(Failure) -> Output
        ) {
            self.link = link
            self.priority = priority
            self.executor = executor
            self.transform = transform
        }

        @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription), link.buffer.link.attach(link) else { return }
            link.buffer.start()
            link.prefetch()
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive, let (place, slot) = link.makePlace() else { return .none }
            slot.start(priority: priority, executor: executor) { [link, transform] in
                do throws(Failure) {
                    link.submit(.result(.success(try await transform(input)), place))
                } catch {
                    link.submit(.result(.failure(error), place))
                }
            }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { link.submit(.end(completion)) }
        }
    }
}

/// The tasks of an `asyncMap`, and the queue that brings their results into the order of the values.
///
/// It is the subscription between the upstream and the buffer, and requests values as far as tasks may be started.
@usableFromInline
// Safe because tasks are guarded by a lock, and results belong to the drain.
final class AsyncMapLink<Output: Sendable, Failure: Error>: UpstreamLink, @unchecked Sendable {
    @usableFromInline
    enum Event {
        case result(Result<Output, Failure>, Int)
        case end(Subscribers.Completion<Failure>)
        case demand(Subscribers.Demand)
        case cancellation
    }

    @usableFromInline
    struct Places: Sendable {
        @usableFromInline var next = 0
        @usableFromInline var running: [Int: TaskSlot] = [:]
        @usableFromInline var isClosed = false

        @inlinable
        init() {}
    }

    @usableFromInline
    struct State: DrainState {
        /// The results that wait for earlier ones, by their places.
        @usableFromInline var early: [Int: Result<Output, Failure>] = [:]
        /// The place of the next result to publish; without an order, the number of published results.
        @usableFromInline var turn = 0
        @usableFromInline var ending: Subscribers.Completion<Failure>?
        @usableFromInline var account = PrefetchAccount()
        @usableFromInline var requests = LinkRequests()

        @inlinable
        init() {}

        /// Takes the next result if it is there.
        @inlinable
        mutating func takeNext() -> Result<Output, Failure>? {
            guard let result = early.removeValue(forKey: turn) else { return nil }
            turn += 1
            return result
        }
    }

    @usableFromInline let buffer: any BufferingReceiver<Output, Failure>
    @usableFromInline let limit: Int
    @usableFromInline let isOrdered: Bool
    @usableFromInline let places = Locked(Places())
    @usableFromInline let drain = StateDrain<State, Event>(State())

    @inlinable
    init(limit: Int, isOrdered: Bool, buffer: any BufferingReceiver<Output, Failure>) {
        self.limit = limit
        self.isOrdered = isOrdered
        self.buffer = buffer
        super.init()
    }

    /// Requests the values of the first tasks.
    @inlinable
    func prefetch() {
        super.request(.max(limit))
    }

    /// Requests a value for each buffered result that the subscriber's request delivers.
    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        submit(.demand(demand))
    }

    /// Reserves the next place in the order of results.
    ///
    /// - Returns: Nil if the stream is over.
    @inlinable
    func makePlace() -> (Int, TaskSlot)? {
        let slot = TaskSlot()
        return places.withLock { places in
            guard !places.isClosed else { return nil }
            defer { places.next += 1 }
            places.running[places.next] = slot
            return (places.next, slot)
        }
    }

    @inlinable
    func submit(_ event: Event) {
        drain.submit(event, for: self) { $0.handle($1, &$2) }
    }

    @usableFromInline
    override func cancel() {
        super.cancel()
        let running = places.withLock { places in
            places.isClosed = true
            return exchange(&places.running, with: [:])
        }
        for slot in running.values { slot.cancel() }
        // Drop the results that wait for others.
        submit(.cancellation)
    }

    @inlinable
    func handle(_ event: Event, _ state: inout State) {
        switch event {
        case .result(let result, let place):
            places.withLock { $0.running[place] = nil }
            if buffer.isOver { return }
            // Without an order, every result is the next one.
            state.early[isOrdered ? place : state.turn] = result
        case .end(let completion):
            if buffer.isOver { return }
            state.ending = completion
        case .demand(let demand):
            state.requests.add(.max(state.account.add(demand)), to: self)
        case .cancellation:
            state.early = [:]
            state.ending = nil
        }
        while let result = state.takeNext() {
            switch result {
            case .success(let value):
                buffer.send(value)
                if state.account.addValue() { state.requests.add(.max(1), to: self) }
            case .failure(let error):
                state.early = [:]
                return buffer.finish(.failure(error))
            }
        }
        if let ending = state.ending, state.turn == places.withLock({ $0.next }) { buffer.finish(ending) }
    }
}
