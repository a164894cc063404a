extension Publisher {
    /// Delivers the values of one subscription to all subscribers, through a subject, from `connect()` on.
    ///
    /// ```
    ///      connect()
    /// ────────1──2──3──|
    ///   multicast { PassthroughSubject() }
    /// A ──────1──2──3──|
    /// B ────────────3──|
    /// ```
    ///
    /// What a subscriber receives, and what it misses, is the subject's affair.
    ///
    /// **Demand.** A subject of this library asks for everything once a subscriber has asked for anything.
    ///
    /// **Completion** goes through the subject as well.
    ///
    /// **Cancellation** ends the subscription of one subscriber; what `connect()` returned cancels the one upstream.
    ///
    /// **Threads.** Signals come on the thread that the subject sends them on.
    ///
    /// - Parameter createSubject: Called when the subject is first needed, on that thread. If several need it at once
    ///   it may be called more than once, and one of the subjects is used.
    @preconcurrency
    @inlinable
    public func multicast<S: Subject>(
        _ createSubject: @escaping @Sendable () -> S
    ) -> Publishers.Multicast<Self, S> where Failure == S.Failure, Output == S.Output {
        Publishers.Multicast(upstream: self, createSubject: createSubject)
    }

    /// Delivers the values of one subscription to all subscribers, through a given subject, from `connect()` on.
    ///
    /// Otherwise like ``Publisher/multicast(_:)``.
    @inlinable
    public func multicast<S: Subject>(
        subject: S
    ) -> Publishers.Multicast<Self, S> where Failure == S.Failure, Output == S.Output {
        multicast(SubjectFactory(subject: subject).get)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/multicast(_:)`` makes.
    public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
    where Upstream.Failure == SubjectType.Failure, Upstream.Output == SubjectType.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        // Safe because a subject may be used from any thread by contract (rule 4).
        @usableFromInline
        struct Shared: @unchecked Sendable {
            @usableFromInline var subject: SubjectType?

            @inlinable
            init(subject: SubjectType? = nil) {
                self.subject = subject
            }
        }

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the subject.
        public let createSubject: @Sendable () -> SubjectType

        @usableFromInline let shared = Locked(Shared())

        /// Makes the publisher; ``Publisher/multicast(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, createSubject: @escaping @Sendable () -> SubjectType) {
            self.upstream = upstream
            self.createSubject = createSubject
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            subject.subscribe(Inner(downstream: subscriber))
        }

        @inlinable
        public func connect() -> any Cancellable {
            upstream.subscribe(subject)
        }

        @inlinable var subject: SubjectType {
            if let subject = shared.withLock({ $0 }).subject { return subject }
            let created = createSubject()
            let offered = Shared(subject: created)
            let kept = shared.withLock { shared in
                if shared.subject == nil { shared = offered }
                return shared
            }
            return kept.subject ?? created
        }
    }
}

/// Hands out a subject made elsewhere.
@usableFromInline
// Safe because a subject may be used from any thread by contract (rule 4).
struct SubjectFactory<SubjectType: Subject>: @unchecked Sendable {
    @usableFromInline let subject: SubjectType

    @inlinable
    init(subject: SubjectType) {
        self.subject = subject
    }

    @inlinable
    func get() -> SubjectType {
        subject
    }
}

// Safe because all that changes is behind a lock.
extension Publishers.Multicast: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publishers.Multicast {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let link = OperatorSubscription("Multicast")

        @inlinable
        init(downstream: Downstream) {
            self.downstream = downstream
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let additional = downstream.receive(input)
            // As with Combine the subject is asked through its subscription.
            if additional > .none { link.request(additional) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { downstream.receive(completion: completion) }
        }
    }
}
