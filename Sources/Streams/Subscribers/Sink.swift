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
            current?.receive(value) ?? .none
        }

        public func receive(completion: Subscribers.Completion<Failure>) {
            release()?.receive(completion: completion)
        }

        public func cancel() {
            // As with Combine one without a subscription keeps them.
            if link.cancelUpstream() { _ = release() }
        }

        private var current: ClosureSubscriber<Input, Failure>? { subscriber.withLock { $0 } }

        private func release() -> ClosureSubscriber<Input, Failure>? {
            subscriber.withLock { $0.take() }
        }

        public var description: String { link.description }
        public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
        public var playgroundDescription: Any { description }
    }
}
