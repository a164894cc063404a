extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// A publisher of the elements of this sequence. See ``Operators/AsyncSequence``.
    ///
    /// The elements are `Sendable`, since they may be delivered on another thread while the iterator keeps a reference to one
    /// that it has returned.
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
    /// Each subscriber iterates the sequence in a task of its own. Put ``Publisher/share()`` behind a sequence that can be iterated
    /// once, such as `AsyncStream`.
    ///
    /// **Demand.** The iteration starts with the first request, and one element is awaited for each value requested.
    ///
    /// **Completion** follows the last element. An error that the sequence throws is the failure, with its own type.
    ///
    /// **Cancellation** cancels the task, on the calling thread. An element that still arrives is dropped.
    ///
    /// **Threads.** Values come on the threads of the task, the subscription on the subscribing thread.
    public struct AsyncSequence<Elements: _Concurrency.AsyncSequence & Sendable>: Publisher, Sendable
    where Elements.Element: Sendable {
        public typealias Output = Elements.Element
        public typealias Failure = Elements.Failure

        /// The sequence.
        public let sequence: Elements

        /// The priority of the tasks, nil for that of the thread of the first request.
        public let priority: TaskPriority?

        private let executor: (any TaskExecutor)?

        /// Creates the publisher.
        ///
        /// - Parameters:
        ///   - sequence: The sequence that each subscriber iterates.
        ///   - priority: The priority of the tasks, nil for that of the thread of the first request.
        ///   - executor: The executor that the tasks prefer, nil for the global pool.
        public init(
            _ sequence: Elements, priority: TaskPriority? = nil, executorPreference executor: (any TaskExecutor)? = nil
        ) {
            self.sequence = sequence
            self.priority = priority
            self.executor = executor
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let buffer = DemandBuffer("AsyncSequence", downstream: subscriber, passesDemand: true)
            if buffer.link.attach(work(for: buffer)) { buffer.start() }
        }

        /// Creates the source of the values. The buffer alone depends on the subscriber, and is specialised for it.
        @usableFromInline
        func work(for buffer: any BufferingReceiver<Output, Failure>) -> any Subscription {
            AsyncSequenceSubscription(sequence, to: buffer, priority: priority, executor: executor)
        }
    }
}

/// The iteration of an asynchronous sequence for one subscriber, as far as there is demand.
///
/// The task holds the semaphore, the iterator and the buffer, which releases the subscriber at the end. So an iterator that
/// ignores the cancellation keeps only itself alive.
final class AsyncSequenceSubscription<Elements: AsyncSequence & Sendable>: Subscription, Sendable
where Elements.Element: Sendable {
    private struct Plan: Sendable {
        let sequence: Elements
        let buffer: any BufferingReceiver<Elements.Element, Elements.Failure>
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
        _ sequence: Elements, to buffer: any BufferingReceiver<Elements.Element, Elements.Failure>,
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
