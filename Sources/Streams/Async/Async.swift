extension Operators {
    /// A publisher of the result of asynchronous work, which is done anew for each subscriber.
    ///
    /// ```swift
    /// let profile = Operators.Async { try await service.profile(of: user) }
    /// ```
    ///
    /// ```
    ///   { await answer() }
    /// ─────────42|
    /// ```
    ///
    /// In contrast to ``Future``, nothing happens until somebody subscribes, and cancelling the subscription cancels
    /// the work.
    ///
    /// **Demand.** The work begins when the result is asked for.
    ///
    /// **Completion** comes with the result. What the closure throws is the failure, of its own type if it is declared
    /// with `throws(Failure)`.
    ///
    /// **Cancellation** cancels the task, on the thread that cancels. Whatever it still returns or throws is dropped.
    ///
    /// **Threads.** Signals come from wherever the task ends.
    public struct Async<Output: Sendable, Failure: Error>: Publisher, Sendable {
        /// The priority of the task, nil for that of the thread that asks for the result.
        public let priority: TaskPriority?

        /// Does the work.
        public let operation: @Sendable () async throws(Failure) -> Output

        private let executor: (any TaskExecutor)?

        /// - Parameters:
        ///   - priority: The priority of the task, nil for that of the thread that asks for the result.
        ///   - executor: Where the task runs, nil for the global pool.
        ///   - operation: Called in a task of its own for each subscriber.
        @preconcurrency
        public init(
            priority: TaskPriority? = nil,
            executorPreference executor: (any TaskExecutor)? = nil,
            _ operation: @escaping @Sendable () async throws(Failure) -> Output
        ) {
            self.priority = priority
            self.operation = operation
            self.executor = executor
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let buffer = DemandBuffer("Async", downstream: subscriber, passesDemand: true)
            let work = AsyncSubscription(buffer: buffer, priority: priority, executor: executor, operation: operation)
            if buffer.link.attach(work) { buffer.open() }
        }
    }
}

/// The work for one subscriber. It begins with the first request.
private final class AsyncSubscription<Output: Sendable, Failure: Error>: Subscription, Sendable {
    private struct Plan: Sendable {
        let buffer: AnyDemandBuffer<Output, Failure>
        let priority: TaskPriority?
        let executor: (any TaskExecutor)?
        let operation: @Sendable () async throws(Failure) -> Output

        func run() async {
            do throws(Failure) {
                let value = try await operation()
                buffer.send(value)
                buffer.finish(.finished)
            } catch {
                buffer.finish(.failure(error))
            }
        }
    }

    private let plan: Locked<Plan?>
    private let slot = TaskSlot()

    init(
        buffer: AnyDemandBuffer<Output, Failure>, priority: TaskPriority?, executor: (any TaskExecutor)?,
        operation: @escaping @Sendable () async throws(Failure) -> Output
    ) {
        plan = Locked(Plan(buffer: buffer, priority: priority, executor: executor, operation: operation))
    }

    func request(_ demand: Subscribers.Demand) {
        guard let plan = takePlan() else { return }
        slot.start(priority: plan.priority, executor: plan.executor) { await plan.run() }
    }

    func cancel() {
        withExtendedLifetime(takePlan()) {}
        slot.cancel()
    }

    private func takePlan() -> Plan? {
        plan.withLock { $0.take() }
    }
}

extension Deferred {
    /// A publisher of the result of asynchronous work, done anew for each subscriber. See ``Operators/Async``.
    ///
    /// - Parameters:
    ///   - priority: The priority of the task.
    ///   - operation: Called in a task of its own for each subscriber.
    @preconcurrency
    public init<Output, Failure>(
        priority: TaskPriority? = nil,
        async operation: @escaping @Sendable () async throws(Failure) -> Output
    ) where DeferredPublisher == Operators.Async<Output, Failure> {
        self.init { Operators.Async(priority: priority, operation) }
    }
}
