extension Publisher {
    /// Publishes the values of one upstream subscription to all subscribers through a subject, once it is connected.
    ///
    /// ```
    ///      connect()
    /// ────────1──2──3──|
    ///   multicast { PassthroughSubject() }
    /// A ──────1──2──3──|
    /// B ────────────3──|
    /// ```
    ///
    /// The subject decides which values a subscriber receives.
    ///
    /// **Demand.** A subject of this library requests all values once a subscriber has requested any.
    ///
    /// **Completion.** The completion passes through the subject.
    ///
    /// **Cancellation.** A subscriber cancels only its subscription. Cancelling the connection cancels the upstream.
    ///
    /// **Threads.** Signals arrive on the thread that the subject sends them on.
    ///
    /// - Parameter createSubject: A closure that creates the subject, called on the first thread that needs it. Several
    ///   threads may call it at the same time; one of their subjects is used.
    @preconcurrency
    @inlinable
    public func multicast<S: Subject>(
        _ createSubject: @escaping @Sendable () -> S
    ) -> Publishers.Multicast<Self, S> where Failure == S.Failure, Output == S.Output {
        Publishers.Multicast(upstream: self, createSubject: createSubject)
    }

    /// Publishes the values of one upstream subscription to all subscribers through a given subject, once connected.
    ///
    /// Otherwise like ``Publisher/multicast(_:)``.
    ///
    /// - Parameter subject: The subject.
    @inlinable
    public func multicast<S: Subject>(
        subject: S
    ) -> Publishers.Multicast<Self, S> where Failure == S.Failure, Output == S.Output {
        multicast(SubjectFactory(subject: subject).get)
    }
}

/// Returns a subject that was created elsewhere. A closure would capture its type, which need not be `Sendable`.
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

extension Publishers {
    /// A publisher that delivers one upstream subscription to all subscribers through a subject.
    public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
    where Upstream.Failure == SubjectType.Failure, Upstream.Output == SubjectType.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher to connect.
        public let upstream: Upstream

        /// The closure that creates the subject.
        public let createSubject: @Sendable () -> SubjectType

        @usableFromInline let created = Locked<SubjectType?>(nil)

        /// A closure is specialised where it is created, a method that `autoconnect()` calls dynamically is not.
        @usableFromInline let subscribeToUpstream: (Upstream, SubjectSubscriber<SubjectType>) -> Void

        /// Creates a publisher; ``Publisher/multicast(_:)`` does the same.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, createSubject: @escaping @Sendable () -> SubjectType) {
            self.upstream = upstream
            self.createSubject = createSubject
            subscribeToUpstream = { $0.subscribe($1) }
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
            if let subject = created.withLock({ $0 }) { return subject }
            let fresh = createSubject()
            return created.withLock { created in
                let subject = created ?? fresh
                created = subject
                return subject
            }
        }
    }
}

/// A connectable publisher whose connection can be cancelled while it is being made.
@usableFromInline
protocol StagedConnectable {
    /// Starts to deliver.
    ///
    /// - Parameter willConnect: A closure that receives the connection before the upstream is subscribed to, which may
    ///   emit meanwhile.
    func connect(_ willConnect: (any Cancellable) -> Void)
}

extension Publishers.Multicast: StagedConnectable {
    @usableFromInline
    func connect(_ willConnect: (any Cancellable) -> Void) {
        let source = SubjectSubscriber(subject)
        willConnect(AnyCancellable(taking: source.link))
        subscribeToUpstream(upstream, source)
    }
}

// Safe because a lock guards the subject.
extension Publishers.Multicast: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publishers.Multicast {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let link = UpstreamLink("Multicast")

        @inlinable
        init(downstream: Downstream) {
            self.downstream = downstream
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            let additional = downstream.receive(input)
            // As in Combine, the demand is requested through the subscription.
            if additional > .none { link.request(additional) }
            return .none
        }
    }
}
