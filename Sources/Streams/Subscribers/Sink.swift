/// What `sink` subscribes: closures, and the link that the returned cancellable holds.
///
/// The stream alone holds the closures, so they go as soon as it lets go of its subscriber, and calling them needs no
/// reference counting.
@usableFromInline
protocol SinkSubscriber: Subscriber {
    var link: UpstreamLink { get }
    var receiveValue: @Sendable (Input) -> Void { get }
}

extension SinkSubscriber {
    @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { subscription.request(.unlimited) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        if link.isActive { receiveValue(input) }
        return .none
    }
}

/// What ``Publisher/sink(receiveCompletion:receiveValue:)`` subscribes.
@usableFromInline
struct ClosureSubscriber<Input, Failure: Error>: SinkSubscriber {
    @usableFromInline let receiveValue: @Sendable (Input) -> Void
    @usableFromInline let receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void
    @usableFromInline let link = UpstreamLink()

    @inlinable
    init(
        receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping @Sendable (Input) -> Void
    ) {
        self.receiveCompletion = receiveCompletion
        self.receiveValue = receiveValue
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if link.complete() { receiveCompletion(completion) }
    }
}

/// What ``Publisher/sink(receiveValue:)`` subscribes: a closure less to keep.
@usableFromInline
struct ValueSubscriber<Input>: SinkSubscriber {
    @usableFromInline typealias Failure = Never

    @usableFromInline let receiveValue: @Sendable (Input) -> Void
    @usableFromInline let link = UpstreamLink()

    @inlinable
    init(receiveValue: @escaping @Sendable (Input) -> Void) {
        self.receiveValue = receiveValue
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Never>) {
        _ = link.complete()
    }
}

extension Publisher {
    /// Calls closures with every value, however many there are, and with the completion.
    ///
    /// - Parameters:
    ///   - receiveCompletion: Called at the end, unless the subscription was cancelled.
    ///   - receiveValue: Called with each value.
    /// - Returns: Keep it: the subscription is cancelled when it is released.
    @preconcurrency
    @inlinable
    @inline(__always)
    public func sink(
        receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping @Sendable (Output) -> Void
    ) -> AnyCancellable {
        let subscriber = ClosureSubscriber(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        subscribe(subscriber)
        return AnyCancellable(taking: subscriber.link)
    }
}

extension Publisher where Failure == Never {
    /// Calls a closure with every value, however many there are.
    ///
    /// - Returns: Keep it: the subscription is cancelled when it is released.
    @preconcurrency
    @inlinable
    @inline(__always)
    public func sink(receiveValue: @escaping @Sendable (Output) -> Void) -> AnyCancellable {
        let subscriber = ValueSubscriber(receiveValue: receiveValue)
        subscribe(subscriber)
        return AnyCancellable(taking: subscriber.link)
    }
}

extension Subscribers {
    /// A subscriber that asks for every value at once and calls closures.
    ///
    /// The closures are released on completion, and on cancellation of a subscription it has. They may capture whoever
    /// keeps this object and cancels it.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, CustomStringConvertible, CustomReflectable,
        CustomPlaygroundDisplayConvertible
    {
        /// Nil after the end. Whoever cancels may do so while a value is being delivered on another thread.
        private let subscriber: Locked<ClosureSubscriber<Input, Failure>?>
        private let link: UpstreamLink

        /// - Parameters:
        ///   - receiveCompletion: Called at the end, unless the subscription was cancelled.
        ///   - receiveValue: Called with each value.
        @preconcurrency
        public init(
            receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
            receiveValue: @escaping @Sendable (Input) -> Void
        ) {
            let subscriber = ClosureSubscriber(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
            self.subscriber = Locked(subscriber)
            link = subscriber.link
        }

        /// The closure called with each value; one that does nothing once the stream is over.
        public var receiveValue: (Input) -> Void { current?.receiveValue ?? { _ in } }

        /// The closure called with the completion; one that does nothing once the stream is over.
        public var receiveCompletion: (Subscribers.Completion<Failure>) -> Void {
            current?.receiveCompletion ?? { _ in }
        }

        public func receive(subscription: any Subscription) {
            if let current { current.receive(subscription: subscription) } else { subscription.cancel() }
        }

        public func receive(_ value: Input) -> Subscribers.Demand {
            current?.receiveValue(value)
            return .none
        }

        public func receive(completion: Subscribers.Completion<Failure>) {
            let ended = release()
            link.complete()
            ended?.receiveCompletion(completion)
        }

        public func cancel() {
            link.cancel()
            _ = release()
        }

        private var current: ClosureSubscriber<Input, Failure>? { subscriber.withLock { $0 } }

        private func release() -> ClosureSubscriber<Input, Failure>? {
            subscriber.withLock { $0.take() }
        }

        public var description: String { "Sink" }
        public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
        public var playgroundDescription: Any { description }
    }
}

extension Publisher where Output: Sendable {
    /// Calls closures with every value and with the completion on the main actor, wherever the publisher sends them.
    ///
    /// ```swift
    /// user.sinkOnMainActor { completion in
    ///     self.spinner.stop()
    /// } receiveValue: { user in
    ///     self.title = user.name      // state of the main actor
    /// }
    /// ```
    ///
    /// The closures may use what is isolated to the main actor, which is checked by the compiler and never traps. Calls
    /// come in the order of the values, never from inside this call.
    ///
    /// - Parameters:
    ///   - receiveCompletion: Called at the end, unless the subscription was cancelled.
    ///   - receiveValue: Called with each value.
    /// - Returns: Keep it: the subscription is cancelled when it is released. Cancelled on the main actor, nothing is
    ///   called any more.
    public func sinkOnMainActor(
        receiveCompletion: @escaping @MainActor (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping @MainActor (Output) -> Void
    ) -> AnyCancellable {
        receiveOnMainActor().sink { completion in
            MainActor.assumeIsolated { receiveCompletion(completion) }
        } receiveValue: { value in
            MainActor.assumeIsolated { receiveValue(value) }
        }
    }
}

extension Publisher where Output: Sendable, Failure == Never {
    /// Calls a closure with every value on the main actor, wherever the publisher sends it.
    ///
    /// See ``sinkOnMainActor(receiveCompletion:receiveValue:)``.
    ///
    /// - Returns: Keep it: the subscription is cancelled when it is released.
    public func sinkOnMainActor(receiveValue: @escaping @MainActor (Output) -> Void) -> AnyCancellable {
        sinkOnMainActor(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}
