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
    ) -> Operators.AsyncMap<Self, T> {
        Operators.AsyncMap(
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
    ) -> Operators.AsyncMap<Publishers.MapError<Self, any Error>, T> {
        Operators.AsyncMap(
            upstream: mapError { $0 }, maxConcurrent: maxConcurrent, priority: priority,
            executorPreference: executor, transform: transform)
    }
}

extension Operators {
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
            let buffer = DemandBuffer("AsyncMap", downstream: subscriber, passesDemand: true)
            let link = AsyncMapSubscription(limit: maxConcurrent, buffer: buffer)
            upstream.subscribe(
                Inner(link: link, priority: priority, executor: executor, transform: transform))
        }
    }
}

extension Operators.AsyncMap: Sendable where Upstream: Sendable {}

extension Operators.AsyncMap {
    private struct Inner: Subscriber {
        let link: AsyncMapSubscription<Output, Failure>
        let priority: TaskPriority?
        let executor: (any TaskExecutor)?
        let transform: @Sendable (Upstream.Output) async throws(Failure) -> Output

        var combineIdentifier: CombineIdentifier { link.combineIdentifier }

        func receive(subscription: any Subscription) {
            if link.attach(subscription), link.buffer.link.attach(link) { link.buffer.open() }
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
            if link.complete() { link.submit(.end(completion)) }
        }
    }
}

/// What an `asyncMap` has under way: it brings results into the order of their values.
///
/// It is the subscription between the upstream and the buffer: demand comes from there, and is handed on as far as
/// there are places free.
// Safe because places are behind a lock, and results belong to the owner of the signals.
final class AsyncMapSubscription<Output: Sendable, Failure: Error>: RateLimitedLink, @unchecked Sendable {
    enum Event {
        case result(Result<Output, Failure>, Int)
        case end(Subscribers.Completion<Failure>)
        case cancellation
    }

    private struct Places: Sendable {
        var next = 0
        var running: [Int: TaskSlot] = [:]
        var isClosed = false
    }

    let buffer: AnyDemandBuffer<Output, Failure>
    private let places = Locked(Places())
    private let signals = SerialDrain<Event>()

    // These belong to the owner of the signals.
    @exclusivity(unchecked) private var early: [Int: Result<Output, Failure>] = [:]
    @exclusivity(unchecked) private var turn = 0
    @exclusivity(unchecked) private var ending: Subscribers.Completion<Failure>?

    init(limit: Int, buffer: AnyDemandBuffer<Output, Failure>) {
        self.buffer = buffer
        super.init("AsyncMap", limit: limit, refillsBelow: limit)
    }

    /// Makes a place in the order of results.
    ///
    /// - Returns: Nil if the stream is over.
    func makePlace() -> (Int, TaskSlot)? {
        let slot = TaskSlot()
        return places.withLock { places in
            guard !places.isClosed else { return nil }
            defer { places.next += 1 }
            places.running[places.next] = slot
            return (places.next, slot)
        }
    }

    func submit(_ event: Event) {
        signals.submit(event) { handle($0) }
    }

    override func cancel() {
        super.cancel()
        let running = places.withLock { places in
            places.isClosed = true
            return exchange(&places.running, with: [:])
        }
        for slot in running.values { slot.cancel() }
        // Results that wait for those before them are for nobody.
        submit(.cancellation)
    }

    private func handle(_ event: Event) {
        switch event {
        case .result(let result, let place):
            places.withLock { $0.running[place] = nil }
            if buffer.isOver { return }
            early[place] = result
        case .end(let completion):
            if buffer.isOver { return }
            ending = completion
        case .cancellation:
            early = [:]
            ending = nil
        }
        while let result = early.removeValue(forKey: turn) {
            turn += 1
            switch result {
            case .success(let value):
                buffer.send(value)
                refill()
            case .failure(let error):
                early = [:]
                return buffer.finish(.failure(error))
            }
        }
        if let ending, turn == places.withLock({ $0.next }) { buffer.finish(ending) }
    }
}
