extension Publisher {
    /// Goes on with another publisher where this one fails.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   catch { _ in [8, 9].publisher }
    /// ──1──2──8──9──|
    /// ```
    ///
    /// Demand that the failed publisher left unanswered is passed on to the other one, whose completion is the stream's.
    /// Cancellation reaches the one that is current.
    ///
    /// - Parameter handler: Called at most once, with the failure, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func `catch`<P: Publisher>(
        _ handler: @escaping @Sendable (Failure) -> P
    ) -> Publishers.Catch<Self, P> where P.Output == Output {
        Publishers.Catch(upstream: self, handler: handler)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/catch(_:)`` makes.
    public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = NewPublisher.Failure

        public let upstream: Upstream

        /// Makes the publisher to go on with.
        public let handler: @Sendable (Upstream.Failure) -> NewPublisher

        @preconcurrency
        @inlinable
        public init(upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) -> NewPublisher) {
            self.upstream = upstream
            self.handler = handler
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, handler: handler))
        }
    }
}

extension Publishers.Catch: Sendable where Upstream: Sendable {}

extension Publishers.Catch {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == NewPublisher.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let handler: @Sendable (Upstream.Failure) -> NewPublisher
        @usableFromInline let arbiter = UpstreamArbiter("Catch", showing: Downstream.self)
        @usableFromInline let link = UpstreamLink("Catch")

        @inlinable
        init(downstream: Downstream, handler: @escaping @Sendable (Upstream.Failure) -> NewPublisher) {
            self.downstream = downstream
            self.handler = handler
        }

        @usableFromInline var customMirror: Mirror { arbiter.customMirror }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription), arbiter.attach(link) { downstream.receive(subscription: arbiter) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            arbiter.willDeliver()
            return arbiter.didDeliver(downstream.receive(input))
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.finish() else { return arbiter.refuse(completion) }
            switch completion {
            case .finished:
                if arbiter.finish() { downstream.receive(completion: .finished) }
            case .failure(let error):
                arbiter.detach()
                handler(error).subscribe(SucceedingSubscriber(downstream: downstream, arbiter: arbiter))
            }
        }
    }
}
