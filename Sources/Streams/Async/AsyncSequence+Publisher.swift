extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// A publisher of the elements of this sequence, which is iterated anew for each subscriber.
    ///
    /// See ``Operators/AsyncSequence``.
    public var publisher: Operators.AsyncSequence<Self> { Operators.AsyncSequence(self) }
}

extension Operators {
    /// A publisher of the elements of an asynchronous sequence.
    ///
    /// ```swift
    /// URL(filePath: "/var/log/messages").lines.publisher
    ///     .filter { $0.contains("error") }
    /// ```
    ///
    /// ```
    ///   for await element in sequence
    /// ──1────2──3──|
    /// ```
    ///
    /// Each subscriber iterates on its own, in a task of its own. A sequence that can be iterated once only, such as
    /// `AsyncStream`, belongs behind ``Publisher/share()``.
    ///
    /// **Demand.** An element is awaited only when it has been asked for, one at a time. Iteration begins with the
    /// first request.
    ///
    /// **Completion** comes when the sequence ends. What it throws is the failure, of the sequence's own type.
    ///
    /// **Cancellation** cancels the task, on the thread that cancels. An element that still comes is dropped.
    ///
    /// **Threads.** Values come from wherever the task goes on; the subscription on the thread that subscribes.
    public struct AsyncSequence<Elements: _Concurrency.AsyncSequence & Sendable>: Publisher, Sendable
    where Elements.Element: Sendable {
        public typealias Output = Elements.Element
        public typealias Failure = Elements.Failure

        /// The sequence.
        public let sequence: Elements

        /// The priority of the tasks that iterate, nil for that of the thread that asks first.
        public let priority: TaskPriority?

        private let executor: (any TaskExecutor)?

        /// - Parameters:
        ///   - sequence: What is iterated for each subscriber.
        ///   - priority: The priority of the tasks that iterate, nil for that of the thread that asks first.
        ///   - executor: Where they run, nil for the global pool.
        public init(
            _ sequence: Elements, priority: TaskPriority? = nil,
            executorPreference executor: (any TaskExecutor)? = nil
        ) {
            self.sequence = sequence
            self.priority = priority
            self.executor = executor
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let buffer = DemandBuffer("AsyncSequence", downstream: subscriber, passesDemand: true)
            let pull = AsyncSequenceSubscription(sequence, to: buffer, priority: priority, executor: executor)
            if buffer.link.attach(pull) { buffer.open() }
        }
    }
}

/// Iterates an asynchronous sequence for one subscriber, as far as there is demand.
///
/// The task holds the semaphore, the iterator and the buffer, which lets go of the subscriber by itself. So an iterator
/// that does not heed cancellation keeps nothing alive but itself.
final class AsyncSequenceSubscription<Elements: AsyncSequence & Sendable>: Subscription, Sendable
where Elements.Element: Sendable {
    private struct Plan: Sendable {
        let sequence: Elements
        let buffer: AnyDemandBuffer<Elements.Element, Elements.Failure>
        let semaphore: DemandSemaphore
        let priority: TaskPriority?
        let executor: (any TaskExecutor)?

        func run() async {
            var iterator = sequence.makeAsyncIterator()
            do throws(Elements.Failure) {
                while await semaphore.wait() {
                    guard let element = try await iterator.next(isolation: nil) else { return buffer.finish(.finished) }
                    buffer.send(element)
                }
            } catch {
                buffer.finish(.failure(error))
            }
        }
    }

    private let plan: Locked<Plan?>
    private let slot = TaskSlot()
    private let semaphore = DemandSemaphore()

    init(
        _ sequence: Elements, to buffer: AnyDemandBuffer<Elements.Element, Elements.Failure>,
        priority: TaskPriority?, executor: (any TaskExecutor)?
    ) {
        plan = Locked(
            Plan(sequence: sequence, buffer: buffer, semaphore: semaphore, priority: priority, executor: executor))
    }

    func request(_ demand: Subscribers.Demand) {
        semaphore.signal(demand)
        guard let plan = takePlan() else { return }
        slot.start(priority: plan.priority, executor: plan.executor) { await plan.run() }
    }

    func cancel() {
        withExtendedLifetime(takePlan()) {}
        semaphore.close()
        slot.cancel()
    }

    private func takePlan() -> Plan? {
        plan.withLock { $0.take() }
    }
}
