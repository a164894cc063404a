extension Publisher {
    /// Replaces a failed publisher by another one.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   catch { _ in [8, 9].publisher }
    /// ──1──2──8──9──|
    /// ```
    ///
    /// A handler that returns an erased publisher which catches again does not deepen the stack.
    ///
    /// **Demand.** The demand that the failed publisher leaves unanswered is requested from the other one.
    ///
    /// **Completion.** Finishes when this publisher does. After a failure, completes like the other publisher.
    ///
    /// **Cancellation.** Cancels the current publisher.
    ///
    /// **Threads.** The handler is called, and the other publisher subscribed to, on the thread that delivers the failure.
    ///
    /// - Parameter handler: A closure that creates the other publisher. It is called at most once.
    @preconcurrency
    @inlinable
    public func `catch`<P: Publisher>(
        _ handler: @escaping @Sendable (Failure) -> P
    ) -> Publishers.Catch<Self, P> where P.Output == Output {
        Publishers.Catch(upstream: self, handler: handler)
    }

    /// Replaces a failed publisher by another one, or fails with the error that the handler throws.
    ///
    /// ```
    /// ──1──2──✕ A
    ///   tryCatch { error in if error == A { throw B } else { Just(9) } }
    /// ──1──2──✕ B
    /// ```
    ///
    /// Otherwise like ``catch(_:)``.
    ///
    /// - Parameter handler: A closure that creates the other publisher. It is called at most once.
    @preconcurrency
    @inlinable
    public func tryCatch<P: Publisher>(
        _ handler: @escaping @Sendable (Failure) throws -> P
    ) -> Publishers.TryCatch<Self, P> where P.Output == Output {
        Publishers.TryCatch(upstream: self, handler: handler)
    }

    /// Replaces a failed publisher by another one, with a handler that can throw the other publisher's type of failure.
    ///
    /// ```
    /// ──1──2──✕ A
    ///   tryCatch(throwing: B.self) { error throws(B) in try replacement(for: error) }
    /// ──1──2──✕ B
    /// ```
    ///
    /// Otherwise like ``catch(_:)``.
    ///
    /// - Parameters:
    ///   - errorType: The other publisher's type of failure.
    ///   - handler: A closure that creates the other publisher. It is called at most once.
    @preconcurrency
    @inlinable
    public func tryCatch<P: Publisher>(
        throwing errorType: P.Failure.Type, _ handler: @escaping @Sendable (Failure) throws(P.Failure) -> P
    ) -> Operators.TryRecovery<Self, P> where P.Output == Output {
        Operators.TryRecovery(upstream: self, handler: handler)
    }
}

extension Publishers {
    /// A publisher that replaces a failed publisher by another one.
    public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = NewPublisher.Failure

        /// The publisher that may fail.
        public let upstream: Upstream

        /// The closure that creates the other publisher.
        public let handler: @Sendable (Upstream.Failure) -> NewPublisher

        /// Creates a publisher that replaces another one if that fails.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) -> NewPublisher) {
            self.upstream = upstream
            self.handler = handler
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(subscriber, catchingAs: "Catch") {
                [handler] failure throws(Failure) in handler(failure)
            }
        }
    }

    /// A publisher that replaces a failed publisher by another one, or fails with the error that its handler throws.
    public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that may fail.
        public let upstream: Upstream

        /// The closure that creates the other publisher or throws.
        public let handler: @Sendable (Upstream.Failure) throws -> NewPublisher

        /// Creates a publisher that replaces another one if that fails.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, handler: @escaping @Sendable (Upstream.Failure) throws -> NewPublisher) {
            self.upstream = upstream
            self.handler = handler
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(subscriber, catchingAs: "TryCatch") { [handler] failure throws(any Error) in
                try handler(failure).mapError { $0 as any Error }
            }
        }
    }
}

extension Operators {
    /// A publisher that replaces a failed publisher by another one, with a handler that throws a typed error.
    public struct TryRecovery<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = NewPublisher.Failure

        /// The publisher that may fail.
        public let upstream: Upstream

        /// The closure that creates the other publisher or throws.
        public let handler: @Sendable (Upstream.Failure) throws(NewPublisher.Failure) -> NewPublisher

        /// Creates a publisher that replaces another one if that fails.
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
            upstream.subscribe(subscriber, catchingAs: "TryCatch", with: handler)
        }
    }
}

extension Publishers.Catch: Sendable where Upstream: Sendable {}
extension Publishers.TryCatch: Sendable where Upstream: Sendable {}
extension Operators.TryRecovery: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Subscribes to this publisher and, if it fails, to the one that a closure creates.
    ///
    /// - Parameters:
    ///   - subscriber: The subscriber to deliver both publishers' values to.
    ///   - name: The operator's name.
    ///   - handler: A closure that creates the other publisher, or throws the error to fail with.
    @inlinable
    @inline(__always)
    func subscribe<S: Subscriber, NewPublisher: Publisher>(
        _ subscriber: S, catchingAs name: String, with handler: @escaping (Failure) throws(S.Failure) -> NewPublisher
    ) where S.Input == Output, NewPublisher.Output == Output, NewPublisher.Failure == S.Failure {
        if let (arbiter, downstream) = subscriber.takeSharedArbiter() {
            let catching = CatchingSubscriber(downstream: downstream, arbiter: arbiter, handler: handler)
            arbiter.subscribe(catching, to: self)
        } else {
            let arbiter = SubscriptionArbiter(name, needsEveryValue: subscriber.needsEveryValue)
            subscribe(CatchingSubscriber(downstream: subscriber, arbiter: arbiter, handler: handler))
        }
    }
}

/// The subscriber of a publisher that is replaced if it fails.
@usableFromInline
struct CatchingSubscriber<Failure: Error, NewPublisher: Publisher, Downstream: Subscriber>: ArbitratedSubscriber
where NewPublisher.Output == Downstream.Input, NewPublisher.Failure == Downstream.Failure {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline let downstream: Downstream
    @usableFromInline let arbiter: SubscriptionArbiter
    @usableFromInline let handler: (Failure) throws(Downstream.Failure) -> NewPublisher
    @usableFromInline let link = UpstreamLink()

    @inlinable
    init(
        downstream: Downstream, arbiter: SubscriptionArbiter,
        handler: @escaping (Failure) throws(Downstream.Failure) -> NewPublisher
    ) {
        self.downstream = downstream
        self.arbiter = arbiter
        self.handler = handler
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        guard link.complete() else { return }
        switch completion {
        case .finished:
            advance(after: .finished)
        case .failure(let failure):
            arbiter.detach()
            do throws(Downstream.Failure) {
                advance(to: try handler(failure))
            } catch {
                advance(after: .failure(error))
            }
        }
    }
}
