extension Publisher {
    /// Stops in the debugger at signals that closures choose.
    ///
    /// ```
    /// ──1──2──|
    ///   breakpoint(receiveOutput: { $0 == 2 })
    /// ──1──(stop) 2──|
    /// ```
    ///
    /// The process raises `SIGTRAP`, which ends it unless a debugger is attached. Demand, the cancellation and all
    /// signals pass through. The closures are called on the thread that delivers the signal.
    ///
    /// - Parameters:
    ///   - receiveSubscription: A closure that returns whether to stop at the upstream's subscription.
    ///   - receiveOutput: A closure that returns whether to stop at a value.
    ///   - receiveCompletion: A closure that returns whether to stop at the completion.
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

    /// Stops in the debugger when the upstream fails.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   breakpointOnError()
    /// ──1──2──(stop) ✕ E
    /// ```
    ///
    /// The process raises `SIGTRAP`, which ends it unless a debugger is attached. Demand, the cancellation and all
    /// signals pass through, on the upstream's threads.
    @inlinable
    public func breakpointOnError() -> Publishers.Breakpoint<Self> {
        breakpoint(receiveCompletion: { completion in
            if case .failure = completion { true } else { false }
        })
    }
}

extension Publishers {
    /// A publisher that stops in the debugger at signals that closures choose.
    public struct Breakpoint<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether to stop at the upstream's subscription.
        public let receiveSubscription: (@Sendable (any Subscription) -> Bool)?

        /// The closure that returns whether to stop at a value.
        public let receiveOutput: (@Sendable (Upstream.Output) -> Bool)?

        /// The closure that returns whether to stop at the completion.
        public let receiveCompletion: (@Sendable (Subscribers.Completion<Upstream.Failure>) -> Bool)?

        /// Creates a publisher that stops in the debugger at signals of another one.
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
