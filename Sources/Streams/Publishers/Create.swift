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
    /// ``Publisher/onBackpressureLatest()`` or another such operator behind it to limit that.
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
            let buffer = DemandBuffer("Create", downstream: subscriber)
            buffer.start()
            // Already cancelled: do not start the source.
            guard !buffer.isOver else { return }
            _ = buffer.link.attach(CallbackSubscription(source: factory(Emitter(buffer: buffer))))
        }
    }
}

extension Operators.Creation: Sendable {}

extension Operators.Creation {
    /// A handle by which a source sends values to its subscriber. It may be used from any thread, at any time.
    public struct Emitter {
        @usableFromInline let buffer: any BufferingReceiver<Output, Failure>

        @inlinable
        init(buffer: any BufferingReceiver<Output, Failure>) {
            self.buffer = buffer
        }

        /// Whether the subscriber has cancelled or its completion has been delivered.
        public var isCancelled: Bool { buffer.isOver }

        /// Sends a value.
        public func send(_ input: Output) {
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

/// The source of a ``Operators/Creation`` as a subscription, which ignores requests.
@usableFromInline
final class CallbackSubscription: Subscription {
    private let source: any Cancellable

    @usableFromInline
    init(source: any Cancellable) {
        self.source = source
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {}

    @usableFromInline
    func cancel() {
        source.cancel()
    }
}
