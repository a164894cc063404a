extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// A publisher of the elements of this sequence, which is iterated anew for each subscriber.
    ///
    /// See ``Publishers/AsyncSequence``.
    public var publisher: Publishers.AsyncSequence<Self> { Publishers.AsyncSequence(self) }
}

extension Publishers {
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
            let outlet = Outlet(.asyncSequence, downstream: subscriber, passesDemand: true)
            let pull = AsyncPull(sequence, to: outlet, priority: priority, executor: executor)
            if outlet.link.attach(pull) { outlet.open() }
        }
    }
}
