extension Publisher {
    /// Stops in the debugger at signals that closures choose, and changes nothing.
    ///
    /// ```
    /// ──1──2──|
    ///   breakpoint(receiveOutput: { $0 == 2 })
    /// ──1──(stop) 2──|
    /// ```
    ///
    /// The process raises `SIGTRAP`, which ends it unless a debugger is attached. The closures are called on the thread
    /// of the signal. Demand, cancellation and all signals pass through.
    ///
    /// - Parameters:
    ///   - receiveSubscription: Whether to stop at the subscription from upstream.
    ///   - receiveOutput: Whether to stop at a value.
    ///   - receiveCompletion: Whether to stop at the completion.
    @preconcurrency
    @inlinable
    public func breakpoint(
        receiveSubscription: (@Sendable (any Subscription) -> Bool)? = nil,
        receiveOutput: (@Sendable (Output) -> Bool)? = nil,
        receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Bool)? = nil
    ) -> Publishers.Breakpoint<Self> {
        Publishers.Breakpoint(
            upstream: self,
            receiveSubscription: receiveSubscription,
            receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion)
    }

    /// Stops in the debugger when the upstream fails, and changes nothing.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   breakpointOnError()
    /// ──1──2──(stop) ✕ E
    /// ```
    ///
    /// The process raises `SIGTRAP`, which ends it unless a debugger is attached. Demand, cancellation and all
    /// signals pass through, on the thread they come on.
    @inlinable
    public func breakpointOnError() -> Publishers.Breakpoint<Self> {
        breakpoint(receiveCompletion: { completion in
            if case .failure = completion { true } else { false }
        })
    }
}

extension Publishers {
    /// The publisher that ``Publisher/breakpoint(receiveSubscription:receiveOutput:receiveCompletion:)`` makes.
    public struct Breakpoint<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether to stop at the subscription from upstream.
        public let receiveSubscription: (@Sendable (any Subscription) -> Bool)?

        /// Whether to stop at a value.
        public let receiveOutput: (@Sendable (Upstream.Output) -> Bool)?

        /// Whether to stop at the completion.
        public let receiveCompletion: (@Sendable (Subscribers.Completion<Upstream.Failure>) -> Bool)?

        /// Makes the publisher; ``Publisher/breakpoint(receiveSubscription:receiveOutput:receiveCompletion:)`` is the
        /// usual way to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream,
            receiveSubscription: (@Sendable (any Subscription) -> Bool)? = nil,
            receiveOutput: (@Sendable (Upstream.Output) -> Bool)? = nil,
            receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Bool)? = nil
        ) {
            self.upstream = upstream
            self.receiveSubscription = receiveSubscription
            self.receiveOutput = receiveOutput
            self.receiveCompletion = receiveCompletion
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, conditions: self))
        }
    }
}

extension Publishers.Breakpoint: Sendable where Upstream: Sendable {}

extension Publishers.Breakpoint {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: ForwardingSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let receiveSubscription: (@Sendable (any Subscription) -> Bool)?
        @usableFromInline let receiveOutput: (@Sendable (Upstream.Output) -> Bool)?
        @usableFromInline let receiveCompletion: (@Sendable (Subscribers.Completion<Upstream.Failure>) -> Bool)?

        @inlinable
        init(downstream: Downstream, conditions: Publishers.Breakpoint<Upstream>) {
            self.downstream = downstream
            receiveSubscription = conditions.receiveSubscription
            receiveOutput = conditions.receiveOutput
            receiveCompletion = conditions.receiveCompletion
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if receiveSubscription?(subscription) == true { stopInDebugger() }
            downstream.receive(subscription: subscription)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            if receiveOutput?(input) == true { stopInDebugger() }
            return downstream.receive(input)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if receiveCompletion?(completion) == true { stopInDebugger() }
            downstream.receive(completion: completion)
        }
    }
}
