/// The subscriber of a `sink`: closures, and the link that the returned cancellable holds.
///
/// Only the stream holds the closures. So the end of the stream releases them, and a call needs no reference counting.
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

/// The subscriber of ``Publisher/sink(receiveCompletion:receiveValue:)``.
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

/// The subscriber of ``Publisher/sink(receiveValue:)``, without a second closure to store.
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
    /// Calls closures with each value and with the completion.
    ///
    /// **Demand.** All values are requested at once.
    ///
    /// - Parameters:
    ///   - receiveCompletion: A closure called with the completion, unless the subscription was cancelled.
    ///   - receiveValue: A closure called with each value.
    /// - Returns: The subscription, which is cancelled when it is released.
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
    /// Calls a closure with each value.
    ///
    /// **Demand.** All values are requested at once.
    ///
    /// - Returns: The subscription, which is cancelled when it is released.
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
    /// A subscriber that requests all values at once and calls closures.
    ///
    /// Completion and cancellation release the closures, so they may capture the object that stores the sink.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, CustomStringConvertible, CustomReflectable,
        CustomPlaygroundDisplayConvertible
    {
        /// The closures, nil after the end. A cancellation may come while another thread delivers a value.
        private let subscriber: Locked<ClosureSubscriber<Input, Failure>?>
        private let link: UpstreamLink

        /// Creates a sink.
        ///
        /// - Parameters:
        ///   - receiveCompletion: A closure called with the completion, unless the subscription was cancelled.
        ///   - receiveValue: A closure called with each value.
        @preconcurrency
        public init(
            receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
            receiveValue: @escaping @Sendable (Input) -> Void
        ) {
            let subscriber = ClosureSubscriber(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
            self.subscriber = Locked(subscriber)
            link = subscriber.link
        }

        /// The closure called with each value. After the end, a closure that does nothing.
        public var receiveValue: (Input) -> Void { current?.receiveValue ?? { _ in } }

        /// The closure called with the completion. After the end, a closure that does nothing.
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
