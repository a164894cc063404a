/// What ``Publisher/sink(receiveCompletion:receiveValue:)`` subscribes: closures, and the link that the returned cancellable holds.
///
/// The stream alone holds the closures, so they go as soon as it lets go of its subscriber, and calling them needs no
/// reference counting.
@usableFromInline
struct ClosureSubscriber<Input, Failure: Error>: LinkedSubscriber {
    @usableFromInline let receiveValue: @Sendable (Input) -> Void
    @usableFromInline let receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void
    @usableFromInline let link = UpstreamLink("Sink")

    @inlinable
    init(
        receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping @Sendable (Input) -> Void
    ) {
        self.receiveCompletion = receiveCompletion
        self.receiveValue = receiveValue
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { subscription.request(.unlimited) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        if link.isOpen { receiveValue(input) }
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if link.finishOpen() { receiveCompletion(completion) }
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
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}
