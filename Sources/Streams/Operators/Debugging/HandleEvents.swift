extension Publisher {
    /// Calls closures with what passes through, and changes nothing.
    ///
    /// ```
    /// ──1──2──|
    ///   handleEvents(receiveOutput: { print($0) })
    /// ──1──2──|
    /// ```
    ///
    /// A closure is called before what it is told of is passed on, on the same thread. Of the completion and the
    /// cancellation of one subscription, one is told of. No closure is called once the stream has completed or was
    /// cancelled; what a broken upstream sends after that is passed on, though, as in Combine.
    ///
    /// **Demand** passes through.
    ///
    /// **Completion** passes through, unless the subscriber is cancelling at that moment, or the closure for it
    /// cancels.
    ///
    /// **Cancellation** passes through.
    ///
    /// **Threads.** Everything stays on the thread on which it comes.
    ///
    /// - Parameters:
    ///   - receiveSubscription: Called with the subscription from upstream.
    ///   - receiveOutput: Called with each value.
    ///   - receiveCompletion: Called with the completion.
    ///   - receiveCancel: Called when the subscriber cancels, on its thread.
    ///   - receiveRequest: Called with each demand, also with what the subscriber returns for a value, unless that is
    ///     none.
    @preconcurrency
    @inlinable
    public func handleEvents(
        receiveSubscription: (@Sendable (any Subscription) -> Void)? = nil,
        receiveOutput: (@Sendable (Output) -> Void)? = nil,
        receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)? = nil,
        receiveCancel: (@Sendable () -> Void)? = nil,
        receiveRequest: (@Sendable (Subscribers.Demand) -> Void)? = nil
    ) -> Publishers.HandleEvents<Self> {
        Publishers.HandleEvents(
            upstream: self,
            receiveSubscription: receiveSubscription,
            receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion,
            receiveCancel: receiveCancel,
            receiveRequest: receiveRequest)
    }
}

extension Publishers {
    /// The publisher that
    /// ``Publisher/handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)``
    /// makes.
    public struct HandleEvents<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Called with the subscription from upstream.
        @preconcurrency public var receiveSubscription: (@Sendable (any Subscription) -> Void)?

        /// Called with each value.
        @preconcurrency public var receiveOutput: (@Sendable (Upstream.Output) -> Void)?

        /// Called with the completion.
        @preconcurrency public var receiveCompletion: (@Sendable (Subscribers.Completion<Upstream.Failure>) -> Void)?

        /// Called when the subscriber cancels.
        @preconcurrency public var receiveCancel: (@Sendable () -> Void)?

        /// Called with each demand.
        @preconcurrency public var receiveRequest: (@Sendable (Subscribers.Demand) -> Void)?

        /// Makes the publisher;
        /// ``Publisher/handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)``
        /// is the usual way to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream,
            receiveSubscription: (@Sendable (any Subscription) -> Void)? = nil,
            receiveOutput: (@Sendable (Output) -> Void)? = nil,
            receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)? = nil,
            receiveCancel: (@Sendable () -> Void)? = nil,
            receiveRequest: (@Sendable (Subscribers.Demand) -> Void)?
        ) {
            self.upstream = upstream
            self.receiveSubscription = receiveSubscription
            self.receiveOutput = receiveOutput
            self.receiveCompletion = receiveCompletion
            self.receiveCancel = receiveCancel
            self.receiveRequest = receiveRequest
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, events: self))
        }
    }
}

extension Publishers.HandleEvents: Sendable where Upstream: Sendable {}

extension Publishers.HandleEvents {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let link: HandleEventsSubscription

        @usableFromInline let receiveSubscription: (@Sendable (any Subscription) -> Void)?
        @usableFromInline let receiveOutput: (@Sendable (Upstream.Output) -> Void)?
        @usableFromInline let receiveCompletion: (@Sendable (Subscribers.Completion<Upstream.Failure>) -> Void)?
        @usableFromInline let receiveRequest: (@Sendable (Subscribers.Demand) -> Void)?

        @inlinable
        init(downstream: Downstream, events: Publishers.HandleEvents<Upstream>) {
            self.downstream = downstream
            receiveSubscription = events.receiveSubscription
            receiveOutput = events.receiveOutput
            receiveCompletion = events.receiveCompletion
            receiveRequest = events.receiveRequest
            link = HandleEventsSubscription(
                receiveCancel: events.receiveCancel, receiveRequest: events.receiveRequest)
        }

        @inlinable
        func receive(subscription: any Subscription) {
            receiveSubscription?(subscription)
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            receiveOutput?(input)
            // The closure may have cancelled.
            guard link.isActive else { return .none }
            let additional = downstream.receive(input)
            if additional > .none, link.isActive { receiveRequest?(additional) }
            return additional
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            // A subscriber that is cancelling has been reported as cancelled.
            guard link.isActive, link.claimEnd() else { return }
            receiveCompletion?(completion)
            // The closure may have cancelled.
            if link.complete() { downstream.receive(completion: completion) }
        }
    }

    /// A link that tells of requests and cancellation.
    @usableFromInline
    // Safe because what it adds is atomic or behind a lock.
    final class HandleEventsSubscription: UpstreamLink, @unchecked Sendable {

        @usableFromInline
        struct Closures: Sendable {
            var receiveCancel: (@Sendable () -> Void)?
            var receiveRequest: (@Sendable (Subscribers.Demand) -> Void)?
        }

        /// Gone once the stream is over: whoever keeps the subscription does not keep the closures. Whoever takes them
        /// out, for a completion or a cancellation, is who tells of the end.
        private let closures: Locked<Closures?>

        @usableFromInline
        init(
            receiveCancel: (@Sendable () -> Void)?, receiveRequest: (@Sendable (Subscribers.Demand) -> Void)?
        ) {
            closures = Locked(Closures(receiveCancel: receiveCancel, receiveRequest: receiveRequest))
            super.init()
        }

        @usableFromInline override var description: String { "HandleEvents" }

        @usableFromInline
        override func request(_ demand: Subscribers.Demand) {
            closures.withLock { $0 }?.receiveRequest?(demand)
            super.request(demand)
        }

        @usableFromInline
        override func cancel() {
            takeClosures()?.receiveCancel?()
            super.cancel()
        }

        /// Takes it upon the caller to tell of the completion.
        ///
        /// - Returns: Whether no end has been told of yet.
        @usableFromInline
        func claimEnd() -> Bool {
            takeClosures() != nil
        }

        private func takeClosures() -> Closures? {
            closures.withLock { $0.take() }
        }
    }
}
