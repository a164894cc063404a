extension Publisher {
    /// Goes on with another publisher where this one fails.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   catch { _ in [8, 9].publisher }
    /// ──1──2──8──9──|
    /// ```
    ///
    /// Demand that the failed publisher left unanswered is passed on to the other one, whose completion is the
    /// stream's. Cancellation reaches the one that is current.
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

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher to go on with.
        public let handler: @Sendable (Upstream.Failure) -> NewPublisher

        /// Makes the publisher; ``Publisher/catch(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) -> NewPublisher) {
            self.upstream = upstream
            self.handler = handler
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                CatchingSubscriber("Catch", downstream: subscriber, handler: handler, ending: .passing))
        }
    }
}

extension Publishers.Catch: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Goes on with another publisher where this one fails, or fails with the error that is thrown instead of making
    /// one.
    ///
    /// ```
    /// ──1──2──✕ A
    ///   tryCatch { error in if error == A { throw B } else { Just(9) } }
    /// ──1──2──✕ B
    /// ```
    ///
    /// Demand that the failed publisher left unanswered is passed on to the other one, whose completion is the
    /// stream's. Cancellation reaches the one that is current.
    ///
    /// - Parameter handler: Called at most once, with the failure, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryCatch<P: Publisher>(
        _ handler: @escaping @Sendable (Failure) throws -> P
    ) -> Publishers.TryCatch<Self, P> where P.Output == Output {
        Publishers.TryCatch(upstream: self, handler: handler)
    }

    /// Goes on with another publisher where this one fails, or fails with an error of that one's type, thrown instead
    /// of making it.
    ///
    /// ```
    /// ──1──2──✕ A
    ///   tryCatch(throwing: B.self) { error throws(B) in try replacement(for: error) }
    /// ──1──2──✕ B
    /// ```
    ///
    /// In contrast to ``tryCatch(_:)`` the failure has a type, which is that of the other publisher, as with
    /// ``catch(_:)``.
    ///
    /// **Demand** that the failed publisher left unanswered is passed on to the other one.
    ///
    /// **Completion.** That of the other publisher is the stream's, and so is an error that is thrown.
    ///
    /// **Cancellation** reaches the publisher that is current, on the thread that cancels.
    ///
    /// - Parameters:
    ///   - errorType: The other publisher's type of failure.
    ///   - handler: Called at most once, with the failure, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryCatch<P: Publisher>(
        throwing errorType: P.Failure.Type,
        _ handler: @escaping @Sendable (Failure) throws(P.Failure) -> P
    ) -> Operators.TryRecovery<Self, P> where P.Output == Output {
        Operators.TryRecovery(upstream: self, handler: handler)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryCatch(_:)`` makes.
    public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher to go on with, or throws what the stream fails with.
        public let handler: @Sendable (Upstream.Failure) throws -> NewPublisher

        /// Makes the publisher; ``Publisher/tryCatch(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) throws -> NewPublisher) {
            self.upstream = upstream
            self.handler = handler
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                CatchingSubscriber("TryCatch", downstream: subscriber, handler: handler, ending: .erasing))
        }
    }
}

extension Publishers.TryCatch: Sendable where Upstream: Sendable {}

extension Operators {
    /// The publisher that ``Publisher/tryCatch(throwing:_:)`` makes.
    public struct TryRecovery<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = NewPublisher.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher to go on with, or throws what the stream fails with.
        public let handler: @Sendable (Upstream.Failure) throws(NewPublisher.Failure) -> NewPublisher

        /// Makes the publisher; ``Publisher/tryCatch(throwing:_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream,
            handler: @escaping @Sendable (Upstream.Failure) throws(NewPublisher.Failure) -> NewPublisher
        ) {
            self.upstream = upstream
            self.handler = handler
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                CatchingSubscriber("TryCatch", downstream: subscriber, handler: handler, ending: .keeping))
        }
    }
}

extension Operators.TryRecovery: Sendable where Upstream: Sendable {}

/// The receiving half of the operators that go on with another publisher where one fails.
@usableFromInline
struct CatchingSubscriber<NewPublisher: Publisher, Failure: Error, Thrown: Error, Downstream: Subscriber>:
    LinkedSubscriber
where Downstream.Input == NewPublisher.Output {
    @usableFromInline let downstream: Downstream
    @usableFromInline let handler: @Sendable (Failure) throws(Thrown) -> NewPublisher
    @usableFromInline let ending: CompletionMapping<NewPublisher.Failure, Thrown, Downstream.Failure>
    @usableFromInline let arbiter: SubscriptionArbiter
    @usableFromInline let link: UpstreamLink

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - handler: Makes the publisher to go on with.
    ///   - ending: Makes the subscriber's completion out of that publisher's, or out of what the handler has thrown.
    @inlinable
    init(
        _ name: String,
        downstream: Downstream,
        handler: @escaping @Sendable (Failure) throws(Thrown) -> NewPublisher,
        ending: CompletionMapping<NewPublisher.Failure, Thrown, Downstream.Failure>
    ) {
        self.downstream = downstream
        self.handler = handler
        self.ending = ending
        arbiter = SubscriptionArbiter(name)
        link = UpstreamLink()
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription), arbiter.attach(link) { downstream.receive(subscription: arbiter) }
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard link.isActive, arbiter.takeDemand() else { return .none }
        return arbiter.didDeliver(downstream.receive(input))
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        guard link.complete() else { return }
        switch completion {
        case .finished:
            if arbiter.complete() { downstream.receive(completion: .finished) }
        case .failure(let error):
            arbiter.detach()
            recover(from: error)
        }
    }

    @inlinable
    func recover(from failure: Failure) {
        let replacement: NewPublisher
        do {
            replacement = try handler(failure)
        } catch {
            if arbiter.complete() { downstream.receive(completion: .failure(ending.failure(error))) }
            return
        }
        replacement.subscribe(
            FinalUpstreamSubscriber(downstream: downstream, arbiter: arbiter, ending: ending.completion))
    }
}
