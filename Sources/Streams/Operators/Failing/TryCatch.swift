extension Publisher {
    /// Goes on with another publisher where this one fails, or fails with the error that is thrown instead of making one.
    ///
    /// ```
    /// ──1──2──✕ A
    ///   tryCatch { error in if error == A { throw B } else { Just(9) } }
    /// ──1──2──✕ B
    /// ```
    ///
    /// Demand that the failed publisher left unanswered is passed on to the other one, whose completion is the stream's.
    /// Cancellation reaches the one that is current.
    ///
    /// - Parameter handler: Called at most once, with the failure, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryCatch<P: Publisher>(
        _ handler: @escaping @Sendable (Failure) throws -> P
    ) -> Publishers.TryCatch<Self, P> where P.Output == Output {
        Publishers.TryCatch(upstream: self, handler: handler)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryCatch(_:)`` makes.
    public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        public let upstream: Upstream

        /// Makes the publisher to go on with, or throws what the stream fails with.
        public let handler: @Sendable (Upstream.Failure) throws -> NewPublisher

        @preconcurrency
        @inlinable
        public init(upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) throws -> NewPublisher) {
            self.upstream = upstream
            self.handler = handler
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(Inner(downstream: subscriber, handler: handler))
        }
    }
}

extension Publishers.TryCatch: Sendable where Upstream: Sendable {}

extension Publishers.TryCatch {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == any Error {
        @usableFromInline let downstream: Downstream
        @usableFromInline let handler: @Sendable (Upstream.Failure) throws -> NewPublisher
        @usableFromInline let arbiter = UpstreamArbiter("TryCatch", showing: Downstream.self)
        @usableFromInline let link = UpstreamLink("TryCatch")

        @inlinable
        init(downstream: Downstream, handler: @escaping @Sendable (Upstream.Failure) throws -> NewPublisher) {
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
                recover(from: error)
            }
        }

        @inlinable
        func recover(from failure: Upstream.Failure) {
            let replacement: NewPublisher
            do {
                replacement = try handler(failure)
            } catch {
                if arbiter.finish() { downstream.receive(completion: .failure(error)) }
                return
            }
            replacement.subscribe(
                SucceedingSubscriber(downstream: downstream, arbiter: arbiter) { $0 as any Error })
        }
    }
}
