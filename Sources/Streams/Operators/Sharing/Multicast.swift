extension Publisher {
    /// Delivers the values of one subscription to all subscribers through a subject, beginning with `connect()`.
    ///
    /// ```
    ///      connect()
    /// ────────1──2──3──|
    ///   multicast { PassthroughSubject() }
    /// A ──────1──2──3──|
    /// B ────────────3──|
    /// ```
    ///
    /// The subject determines which values a subscriber receives and which ones it misses.
    ///
    /// **Demand.** The subject requests the values. ``PassthroughSubject`` requests all of them once a subscriber has
    /// requested any, ``CurrentValueSubject`` and ``ReplaySubject`` as soon as they are connected.
    ///
    /// **Completion** is delivered through the subject too.
    ///
    /// **Cancellation.** Ends the subscription of one subscriber. To cancel the upstream, cancel the result of
    /// `connect()`.
    ///
    /// **Threads.** Signals are delivered on the thread on which the subject sends them.
    ///
    /// - Parameter createSubject: A closure that creates the subject. It is called on the thread that first needs the
    ///   subject. If several threads need it at once, the closure may be called more than once, and one of the subjects
    ///   is used.
    @preconcurrency
    @inlinable
    public func multicast<S: Subject>(
        _ createSubject: @escaping @Sendable () -> S
    ) -> Publishers.Multicast<Self, S> where Failure == S.Failure, Output == S.Output {
        Publishers.Multicast(upstream: self, createSubject: createSubject)
    }

    /// Delivers the values of one subscription to all subscribers through a given subject, beginning with `connect()`.
    /// See ``Publisher/multicast(_:)``.
    ///
    /// - Parameter subject: The subject.
    @inlinable
    public func multicast<S: Subject>(
        subject: S
    ) -> Publishers.Multicast<Self, S> where Failure == S.Failure, Output == S.Output {
        multicast(SubjectFactory(subject: subject).get)
    }
}

extension Publishers {
    /// A publisher that delivers the values of one subscription to all subscribers through a subject. See
    /// ``Publisher/multicast(_:)``.
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

        /// The upstream publisher.
        public let upstream: Upstream

        /// A closure that creates the subject.
        public let createSubject: @Sendable () -> SubjectType

        @usableFromInline let shared = Locked(Shared())

        /// Creates the publisher of ``Publisher/multicast(_:)``.
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

/// A factory that returns an existing subject.
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

// Safe because a lock protects all mutable state.
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
            // As in Combine, values are requested from the subject through its subscription.
            if additional > .none { link.request(additional) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { downstream.receive(completion: completion) }
        }
    }
}
