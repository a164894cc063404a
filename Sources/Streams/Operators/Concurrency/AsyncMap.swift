extension Publisher where Output: Sendable {
    /// Transforms every value by asynchronous work, and delivers the results in the order of the values.
    ///
    /// ```
    /// ──1──────2──3────────────|
    ///   asyncMap(maxConcurrent: 2) { await price(of: $0) }
    /// ───────A───────B──C──|          the results of 2 and 3 are awaited at the same time
    /// ```
    ///
    /// A result that is there before its turn waits for those before it. With `throws(Failure)` on the closure it can
    /// end the stream: ``asyncTryMap(maxConcurrent:priority:executorPreference:_:)`` is for errors of any type.
    ///
    /// **Demand.** A value is asked for when its result has been asked for and fewer than `maxConcurrent` results are
    /// awaited or wait for their turn. So nothing is computed ahead of demand. A source that drops what nobody has
    /// asked for, such as a subject, needs ``onBackpressureBuffer()`` between.
    ///
    /// **Completion** comes after the results of all values before it, a failure too. What the closure throws is
    /// delivered in its turn, and cancels the upstream and the work that is under way.
    ///
    /// **Cancellation** cancels the upstream and all tasks, on the thread that cancels.
    ///
    /// **Threads.** The closure runs in a task of its own for each value; results come from wherever a task ends.
    ///
    /// - Parameters:
    ///   - maxConcurrent: For how many values there is work under way at most, at least one.
    ///   - priority: The priority of the tasks, nil for that of the thread that delivers the value.
    ///   - executor: Where the tasks run, nil for the global pool.
    ///   - transform: Called with each value.
    @preconcurrency
    public func asyncMap<T: Sendable>(
        maxConcurrent: Int = 1,
        priority: TaskPriority? = nil,
        executorPreference executor: (any TaskExecutor)? = nil,
        _ transform: @escaping @Sendable (Output) async throws(Failure) -> T
    ) -> Publishers.AsyncMap<Self, T> {
        Publishers.AsyncMap(
            upstream: self, maxConcurrent: maxConcurrent, priority: priority, executorPreference: executor,
            transform: transform)
    }

    /// Transforms every value by asynchronous work that may throw, and delivers the results in the order of the values.
    ///
    /// It is ``asyncMap(maxConcurrent:priority:executorPreference:_:)`` for errors of any type.
    ///
    /// ```
    /// ──1──2───────|
    ///   asyncTryMap { try await load($0) }
    /// ────A───✕ E
    /// ```
    ///
    /// - Parameters:
    ///   - maxConcurrent: For how many values there is work under way at most, at least one.
    ///   - priority: The priority of the tasks, nil for that of the thread that delivers the value.
    ///   - executor: Where the tasks run, nil for the global pool.
    ///   - transform: Called with each value. What it throws ends the stream.
    @preconcurrency
    public func asyncTryMap<T: Sendable>(
        maxConcurrent: Int = 1,
        priority: TaskPriority? = nil,
        executorPreference executor: (any TaskExecutor)? = nil,
        _ transform: @escaping @Sendable (Output) async throws -> T
    ) -> Publishers.AsyncMap<Publishers.MapError<Self, any Error>, T> {
        Publishers.AsyncMap(
            upstream: mapError { $0 }, maxConcurrent: maxConcurrent, priority: priority,
            executorPreference: executor, transform: transform)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/asyncMap(maxConcurrent:priority:executorPreference:_:)`` makes.
    public struct AsyncMap<Upstream: Publisher, Output: Sendable>: Publisher where Upstream.Output: Sendable {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// For how many values there is work under way at most.
        public let maxConcurrent: Int

        /// The priority of the tasks, nil for that of the thread that delivers the value.
        public let priority: TaskPriority?

        /// Does the work for a value.
        public let transform: @Sendable (Upstream.Output) async throws(Failure) -> Output

        private let executor: (any TaskExecutor)?

        /// Makes the publisher; ``Publisher/asyncMap(maxConcurrent:priority:executorPreference:_:)`` is the usual way
        /// to it.
        @preconcurrency
        public init(
            upstream: Upstream, maxConcurrent: Int, priority: TaskPriority? = nil,
            executorPreference executor: (any TaskExecutor)? = nil,
            transform: @escaping @Sendable (Upstream.Output) async throws(Failure) -> Output
        ) {
            precondition(maxConcurrent > 0, "there must be work for one value at a time at least")
            self.upstream = upstream
            self.maxConcurrent = maxConcurrent
            self.priority = priority
            self.transform = transform
            self.executor = executor
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outlet = Outlet(.asyncMap, downstream: subscriber, passesDemand: true)
            let link = AsyncMapLink(limit: maxConcurrent, outlet: outlet)
            upstream.subscribe(
                Inner(link: link, priority: priority, executor: executor, transform: transform))
        }
    }
}

extension Publishers.AsyncMap: Sendable where Upstream: Sendable {}

extension Publishers.AsyncMap {
    private struct Inner: LinkedSubscriber {
        let link: AsyncMapLink<Output, Failure>
        let priority: TaskPriority?
        let executor: (any TaskExecutor)?
        let transform: @Sendable (Upstream.Output) async throws(Failure) -> Output

        func receive(subscription: any Subscription) {
            if link.attach(subscription), link.outlet.link.attach(link) { link.outlet.open() }
        }

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

        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.finish() { link.submit(.end(completion)) }
        }
    }
}
