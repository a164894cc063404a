extension Operators {
    /// A publisher of the result of asynchronous work, which is done for each subscriber.
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
    /// Unlike a ``Future``, it starts no work before a request, and a cancellation cancels the work.
    ///
    /// **Demand.** The work starts with the first request.
    ///
    /// **Completion** follows the result. An error that the closure throws is the failure, with its own type if the closure is
    /// declared with `throws(Failure)`.
    ///
    /// **Cancellation** cancels the task, on the calling thread. A result that still arrives is dropped.
    ///
    /// **Threads.** Signals are delivered on the thread on which the task ends.
    public struct Async<Output: Sendable, Failure: Error>: Publisher, Sendable {
        /// The priority of the task, nil for that of the requesting thread.
        public let priority: TaskPriority?

        /// The asynchronous work.
        public let operation: @Sendable () async throws(Failure) -> Output

        private let executor: (any TaskExecutor)?

        /// Creates the publisher.
        ///
        /// - Parameters:
        ///   - priority: The priority of the task, nil for that of the requesting thread.
        ///   - executor: The executor that the task prefers, nil for the global pool.
        ///   - operation: The work, called in a task of its own for each subscriber.
        @preconcurrency
        public init(
            priority: TaskPriority? = nil, executorPreference executor: (any TaskExecutor)? = nil,
            _ operation: @escaping @Sendable () async throws(Failure) -> Output
        ) {
            self.priority = priority
            self.operation = operation
            self.executor = executor
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let buffer = DemandBuffer("Async", downstream: subscriber, passesDemand: true)
            if buffer.link.attach(work(for: buffer)) { buffer.start() }
        }

        /// Creates the source of the values. The buffer alone depends on the subscriber, and is specialised for it.
        @usableFromInline
        func work(for buffer: any BufferingReceiver<Output, Failure>) -> any Subscription {
            AsyncSubscription(buffer: buffer, priority: priority, executor: executor, operation: operation)
        }
    }
}

/// The work for one subscriber, which the first request starts.
private final class AsyncSubscription<Output: Sendable, Failure: Error>: Subscription, Sendable {
    private struct Plan: Sendable {
        let buffer: any BufferingReceiver<Output, Failure>
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
        buffer: any BufferingReceiver<Output, Failure>, priority: TaskPriority?, executor: (any TaskExecutor)?,
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
    /// Creates a publisher of the result of asynchronous work. See ``Operators/Async``.
    ///
    /// - Parameters:
    ///   - priority: The priority of the task.
    ///   - operation: The work, called in a task of its own for each subscriber.
    @preconcurrency
    public init<Output, Failure>(
        priority: TaskPriority? = nil, async operation: @escaping @Sendable () async throws(Failure) -> Output
    ) where DeferredPublisher == Operators.Async<Output, Failure> {
        self.init { Operators.Async(priority: priority, operation) }
    }
}
