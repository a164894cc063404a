extension Operators {
    /// A publisher of values from callbacks, such as those of delegates and listeners.
    ///
    /// ```swift
    /// let readings = AnyPublisher<Reading, SensorError>.create { subscriber in
    ///     let observation = sensor.observe { subscriber.send($0) }
    ///     return AnyCancellable { observation.stop() }
    /// }
    /// ```
    ///
    /// ```
    ///   send(1)  send(2)  send(completion: .finished)
    /// ──1────────2────────|
    /// ```
    ///
    /// **Demand.** Values may be sent at any time. Values without demand are buffered without limit. Put
    /// ``Publisher/onBackpressureLatest()`` or another such operator behind it to limit that. A source that can wait sends
    /// no more than is requested: it awaits `emitter.send(value)`, or looks at ``Emitter/requestedDemand``.
    ///
    /// ```swift
    /// let rows = AnyPublisher<Row, any Error>.create { emitter in
    ///     let task = Task {
    ///         while let row = try await cursor.next() { try await emitter.send(row) }
    ///         emitter.send(completion: .finished)
    ///     }
    ///     return AnyCancellable { task.cancel() }
    /// }
    /// ```
    ///
    /// **Completion.** It follows the values sent before it, and signals sent later are ignored. A completion also
    /// cancels the cancellable that the closure returned: clean up there.
    ///
    /// **Cancellation** drops the buffered values and cancels the returned cancellable, on the calling thread.
    ///
    /// **Threads.** The closure is called once for each subscriber, on the subscribing thread, after the subscription. Values may
    /// be sent from any thread, also from inside a callback. They are delivered one after another, and `send` does not block.
    public struct Creation<Output, Failure: Error>: Publisher {
        /// A closure that starts the source of one subscriber's values.
        public let factory: @Sendable (Emitter) -> any Cancellable

        /// Creates the publisher.
        ///
        /// - Parameter factory: A closure that starts the source and returns a cancellable that stops it.
        @preconcurrency
        public init(factory: @escaping @Sendable (Emitter) -> any Cancellable) {
            self.factory = factory
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let source = CallbackSubscription()
            let buffer = DemandBuffer("Create", downstream: subscriber, semaphore: source.semaphore)
            guard buffer.link.attach(source) else { return }
            buffer.start()
            // Already cancelled: do not start the source.
            guard !buffer.isOver else { return }
            source.start(factory(Emitter(buffer: buffer, semaphore: source.semaphore)))
        }
    }
}

extension Operators.Creation: Sendable {}

extension Operators.Creation {
    /// A handle by which a source sends values to its subscriber. It may be used from any thread, at any time.
    public struct Emitter {
        @usableFromInline let buffer: any BufferingReceiver<Output, Failure>
        @usableFromInline let semaphore: DemandSemaphore

        @inlinable
        init(buffer: any BufferingReceiver<Output, Failure>, semaphore: DemandSemaphore) {
            self.buffer = buffer
            self.semaphore = semaphore
        }

        /// Whether the subscriber has cancelled or its completion has been delivered.
        public var isCancelled: Bool { buffer.isOver }

        /// The number of values that the subscriber has requested and that have not been sent.
        ///
        /// It is none after a completion or a cancellation. Other threads may change it at any time.
        public var requestedDemand: Subscribers.Demand { semaphore.demand }

        /// Sends a value. It is buffered if there is no demand for it.
        ///
        /// An asynchronous function calls the `send` that waits instead.
        public func send(_ input: Output) {
            semaphore.take()
            buffer.send(input)
        }

        /// Waits until there is demand for a value, and sends it.
        ///
        /// Several tasks may wait at the same time, and send in the order in which they began to wait. The value is
        /// delivered before this method returns, unless another thread is delivering one.
        ///
        /// - Throws: An error if the value was not sent: the task was cancelled, the subscriber has cancelled, or a completion
        ///   was sent. So a loop that sends values ends with its subscriber.
        public func send(_ input: Output) async throws(CancellationError) {
            guard !Task.isCancelled, await semaphore.wait() else { throw CancellationError() }
            buffer.send(input)
        }

        /// Sends the completion. Further completions are ignored.
        public func send(completion: Subscribers.Completion<Failure>) {
            buffer.finish(completion)
        }
    }
}

extension Operators.Creation.Emitter: Sendable where Output: Sendable {}

extension AnyPublisher {
    /// Creates a publisher of values from callbacks. See ``Operators/Creation``.
    ///
    /// - Parameter factory: A closure that starts the source of one subscriber and returns a cancellable that stops it.
    @preconcurrency
    @_disfavoredOverload
    public static func create(
        _ factory: @escaping @Sendable (Operators.Creation<Output, Failure>.Emitter) -> any Cancellable
    ) -> AnyPublisher {
        Operators.Creation(factory: factory).eraseToAnyPublisher()
    }
}

/// The subscription to the source of a ``Operators/Creation``, created before the source starts.
///
/// It ignores requests: the buffer adds the demand to the semaphore.
@usableFromInline
final class CallbackSubscription: Subscription {
    private enum Source {
        case notStarted
        case started(any Cancellable)
        case cancelled
    }

    private let source = Locked(Source.notStarted)

    /// The demand that the source can wait for.
    @usableFromInline let semaphore = DemandSemaphore()

    @usableFromInline
    init() {}

    /// Stores the cancellable that stops the source, and cancels it if the subscription has ended meanwhile.
    @usableFromInline
    func start(_ cancellable: any Cancellable) {
        let isStarted = source.withLock { source in
            guard case .notStarted = source else { return false }
            source = .started(cancellable)
            return true
        }
        if !isStarted { cancellable.cancel() }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {}

    @usableFromInline
    func cancel() {
        semaphore.close()
        let before = source.withLock { exchange(&$0, with: .cancelled) }
        if case .started(let cancellable) = before { cancellable.cancel() }
    }
}
