extension Subscribers {
    /// A subscriber that asks for every value at once and calls closures.
    ///
    /// The closures are released on completion, and after cancellation with this object, which the stream lets go of then.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, CustomStringConvertible, CustomReflectable,
        CustomPlaygroundDisplayConvertible
    {
        /// Nil after completion. Written on the stream's serial path only.
        @exclusivity(unchecked) private var subscriber: ClosureSubscriber<Input, Failure>?
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
            self.subscriber = subscriber
            link = subscriber.link
        }

        /// The closure called with each value; one that does nothing once the stream has completed.
        public var receiveValue: (Input) -> Void { subscriber?.receiveValue ?? { _ in } }

        /// The closure called with the completion; one that does nothing once the stream has completed.
        public var receiveCompletion: (Subscribers.Completion<Failure>) -> Void {
            subscriber?.receiveCompletion ?? { _ in }
        }

        public func receive(subscription: any Subscription) {
            if let subscriber { subscriber.receive(subscription: subscription) } else { subscription.cancel() }
        }

        public func receive(_ value: Input) -> Subscribers.Demand {
            subscriber?.receive(value) ?? .none
        }

        public func receive(completion: Subscribers.Completion<Failure>) {
            subscriber.take()?.receive(completion: completion)
        }

        public func cancel() {
            link.cancel()
        }

        public var description: String { link.description }
        public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
        public var playgroundDescription: Any { description }
    }
}
