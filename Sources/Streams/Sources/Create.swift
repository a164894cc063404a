extension Operators {
    /// A publisher whose values come from callbacks: delegates, listeners, other libraries' handlers.
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
    /// **Demand.** Values may be sent at any time. Those that nobody has asked for yet are kept, without limit; put
    /// ``Publisher/onBackpressureLatest()`` or another such operator behind it where that is not what is wanted.
    ///
    /// **Completion.** It comes after the values that were sent before it. What is sent later is ignored. The
    /// cancellable that the closure returned is cancelled once a completion has been sent, too, so it is the one place
    /// to clean up.
    ///
    /// **Cancellation** drops what is kept, and cancels what the closure returned, on the thread that cancels.
    ///
    /// **Threads.** The closure is called once for each subscriber, on the thread that subscribes, after the
    /// subscription has been delivered. Values may be sent from any thread, also from inside one another: they are
    /// delivered one after the other in the order in which they were sent, and sending never waits.
    public struct Creation<Output, Failure: Error>: Publisher {
        /// Starts the source of one subscriber's values.
        public let factory: @Sendable (Subscriber) -> any Cancellable

        /// - Parameter factory: Starts what sends the values. What it returns is cancelled at the end.
        @preconcurrency
        public init(factory: @escaping @Sendable (Subscriber) -> any Cancellable) {
            self.factory = factory
        }

        public func receive<S: Streams.Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let buffer = DemandBuffer("Create", downstream: subscriber)
            buffer.open()
            // Who cancels on receiving the subscription needs no source.
            guard !buffer.isOver else { return }
            _ = buffer.link.attach(CallbackSubscription(source: factory(Subscriber(buffer: buffer))))
        }
    }
}

extension Operators.Creation: Sendable {}

extension Operators.Creation {
    /// Where the values of a ``Operators/Creation`` are sent. It may be used from any thread, and kept for as long as
    /// one likes.
    public struct Subscriber {
        let buffer: AnyDemandBuffer<Output, Failure>

        /// Whether sending is in vain: the subscriber has cancelled, or its completion has been delivered.
        public var isCancelled: Bool { buffer.isOver }

        /// Sends a value.
        public func send(_ input: Output) {
            buffer.send(input)
        }

        /// Sends the completion. Only the first one counts.
        public func send(completion: Subscribers.Completion<Failure>) {
            buffer.finish(completion)
        }
    }
}

extension Operators.Creation.Subscriber: Sendable where Output: Sendable {}

extension AnyPublisher {
    /// A publisher whose values come from callbacks. See ``Operators/Creation``.
    ///
    /// - Parameter factory: Called for each subscriber, to start what sends the values. What it returns is cancelled at
    ///   the end.
    @preconcurrency
    @_disfavoredOverload
    public static func create(
        _ factory: @escaping @Sendable (Operators.Creation<Output, Failure>.Subscriber) -> any Cancellable
    ) -> AnyPublisher {
        Operators.Creation(factory: factory).eraseToAnyPublisher()
    }
}

/// The source of a ``Operators/Creation``, for the link that cancels it. It cannot be asked for anything.
private final class CallbackSubscription: Subscription {
    private let source: any Cancellable

    init(source: any Cancellable) {
        self.source = source
    }

    func request(_ demand: Subscribers.Demand) {}

    func cancel() {
        source.cancel()
    }
}
