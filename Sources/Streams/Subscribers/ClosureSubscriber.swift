/// What `sink` subscribes: closures, and the link that the returned cancellable holds.
///
/// The stream alone holds the closures, so they go as soon as it lets go of its subscriber, and calling them needs no
/// reference counting.
@usableFromInline
protocol SinkSubscriber: LinkedSubscriber where Link == UpstreamLink {
    var receiveValue: @Sendable (Input) -> Void { get }
}

extension SinkSubscriber {
    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { subscription.request(.unlimited) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        if link.isOpen { receiveValue(input) }
        return .none
    }
}

/// What ``Publisher/sink(receiveCompletion:receiveValue:)`` subscribes.
@usableFromInline
struct ClosureSubscriber<Input, Failure: Error>: SinkSubscriber {
    @usableFromInline let receiveValue: @Sendable (Input) -> Void
    @usableFromInline let receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void
    @usableFromInline let link = UpstreamLink(.sink)

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
        if link.finishOpen() { receiveCompletion(completion) }
    }
}

/// What ``Publisher/sink(receiveValue:)`` subscribes: a closure less to keep.
@usableFromInline
struct ValueSubscriber<Input>: SinkSubscriber {
    @usableFromInline typealias Failure = Never

    @usableFromInline let receiveValue: @Sendable (Input) -> Void
    @usableFromInline let link = UpstreamLink(.sink)

    @inlinable
    init(receiveValue: @escaping @Sendable (Input) -> Void) {
        self.receiveValue = receiveValue
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Never>) {
        _ = link.finishOpen()
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
