extension Publisher {
    /// Calls closures for the signals, requests and the cancellation that pass through.
    ///
    /// ```
    /// ──1──2──|
    ///   handleEvents(receiveOutput: { print($0) })
    /// ──1──2──|
    /// ```
    ///
    /// Each closure is called before its event is passed on, on the same thread. Demand passes through.
    ///
    /// **Completion.** Either the completion or the cancellation of a subscription is reported, and nothing after it.
    ///
    /// **Cancellation.** A closure can cancel. Then its event is not passed on.
    ///
    /// - Parameters:
    ///   - receiveSubscription: A closure called with the upstream's subscription.
    ///   - receiveOutput: A closure called with each value.
    ///   - receiveCompletion: A closure called with the completion.
    ///   - receiveCancel: A closure called when the subscriber cancels.
    ///   - receiveRequest: A closure called with each demand above zero, also with demand returned for a value.
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
    /// A publisher that calls closures for the signals, requests and the cancellation that pass through.
    public struct HandleEvents<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// A closure called with the upstream's subscription.
        @preconcurrency public var receiveSubscription: (@Sendable (any Subscription) -> Void)?

        /// A closure called with each value.
        @preconcurrency public var receiveOutput: (@Sendable (Upstream.Output) -> Void)?

        /// A closure called with the completion.
        @preconcurrency public var receiveCompletion: (@Sendable (Subscribers.Completion<Upstream.Failure>) -> Void)?

        /// A closure called when the subscriber cancels.
        @preconcurrency public var receiveCancel: (@Sendable () -> Void)?

        /// A closure called with each demand above zero.
        @preconcurrency public var receiveRequest: (@Sendable (Subscribers.Demand) -> Void)?

        /// Creates a publisher that calls closures for the events of another one.
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
        @usableFromInline let link: HandleEventsLink

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
            link = HandleEventsLink(
                "HandleEvents", receiveCancel: events.receiveCancel, receiveRequest: events.receiveRequest)
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
            guard link.isActive, link.endReports() else { return }
            receiveCompletion?(completion)
            // The closure may have cancelled.
            if link.complete() { downstream.receive(completion: completion) }
        }
    }
}

/// The subscription of `handleEvents` and `print`. It reports requests and the cancellation, then passes them on.
///
/// The closures are called on the thread that requests or cancels, outside the lock.
@usableFromInline
final class HandleEventsLink: UpstreamLink {
    // Not a tuple: each access to a closure that is stored in a generic type, such as `Locked`, wraps it once more.
    private struct Closures: Sendable {
        let receiveCancel: (@Sendable () -> Void)?
        let receiveRequest: (@Sendable (Subscribers.Demand) -> Void)?
    }

    /// nil after the end of the stream, so that a subscription that is kept keeps no closure (rule 6).
    private let closures: Locked<Closures?>

    /// - Parameters:
    ///   - name: The operator's name, as `print()` writes it.
    ///   - receiveCancel: A closure called when the subscriber cancels, before the completion.
    ///   - receiveRequest: A closure called with each demand above zero.
    @usableFromInline
    init(
        _ name: String,
        receiveCancel: (@Sendable () -> Void)?,
        receiveRequest: (@Sendable (Subscribers.Demand) -> Void)?
    ) {
        closures = Locked(Closures(receiveCancel: receiveCancel, receiveRequest: receiveRequest))
        super.init(name)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        closures.withLock { $0 }?.receiveRequest?(demand)
        super.request(demand)
    }

    @usableFromInline
    override func cancel() {
        closures.withLock { $0.take() }?.receiveCancel?()
        super.cancel()
    }

    /// Releases the closures, because the completion is about to be reported.
    ///
    /// - Returns: Whether the subscriber has not cancelled, so the completion can be reported.
    @usableFromInline
    func endReports() -> Bool {
        closures.withLock { $0.take() } != nil
    }
}
