extension Publisher {
    /// Delivers more values once this publisher has finished.
    ///
    /// ```
    /// ──1──2──|
    ///   append(8, 9)
    /// ──1──2──8──9|
    /// ```
    ///
    /// Nothing is appended to a stream that fails. Demand, cancellation and threads: see ``Publishers/Concatenate``.
    @inlinable
    public func append(
        _ elements: Output...
    ) -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>> {
        append(elements)
    }

    /// Delivers the elements of a sequence once this publisher has finished.
    ///
    /// ```
    /// ──1──2──|
    ///   append([8, 9])
    /// ──1──2──8──9|
    /// ```
    ///
    /// Nothing is appended to a stream that fails. Demand, cancellation and threads: see ``Publishers/Concatenate``.
    @inlinable
    public func append<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> where Output == S.Element {
        append(Publishers.Sequence(sequence: elements))
    }

    /// Delivers what another publisher delivers once this one has finished.
    ///
    /// ```
    /// ──1──2──|
    ///   append(──8──9──|)
    /// ──1──2────8──9──|
    /// ```
    ///
    /// Nothing is appended to a stream that fails. Demand, cancellation and threads: see ``Publishers/Concatenate``.
    @inlinable
    public func append<P: Publisher>(
        _ publisher: P
    ) -> Publishers.Concatenate<Self, P> where Failure == P.Failure, Output == P.Output {
        Publishers.Concatenate(prefix: self, suffix: publisher)
    }
}

extension Publishers {
    /// A publisher that delivers what one publisher delivers, and once that has completed, what another one delivers.
    ///
    /// The second one is not subscribed to before the first has finished, and never if that fails. Demand that the
    /// first left unanswered is passed on to the second. Cancellation reaches the one that is current. Signals come on
    /// the thread that it sends them on; the second one is subscribed to on the thread on which the first finishes.
    public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
    where Prefix.Failure == Suffix.Failure, Prefix.Output == Suffix.Output {
        public typealias Output = Suffix.Output
        public typealias Failure = Suffix.Failure

        /// What comes first.
        public let prefix: Prefix

        /// What comes second.
        public let suffix: Suffix

        /// Makes the publisher; `append` and `prepend` are the usual ways to it.
        @inlinable
        public init(prefix: Prefix, suffix: Suffix) {
            self.prefix = prefix
            self.suffix = suffix
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            prefix.subscribe(Inner(downstream: subscriber, suffix: suffix))
        }
    }
}

extension Publishers.Concatenate: Equatable where Prefix: Equatable, Suffix: Equatable {}
extension Publishers.Concatenate: Sendable where Prefix: Sendable, Suffix: Sendable {}

extension Publishers.Concatenate {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Suffix.Output, Downstream.Failure == Suffix.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let arbiter: ConcatenationArbiter<Suffix>
        @usableFromInline let link = UpstreamLink()

        @inlinable
        init(downstream: Downstream, suffix: Suffix) {
            self.downstream = downstream
            arbiter = ConcatenationArbiter(suffix: suffix)
        }

        @inlinable var combineIdentifier: CombineIdentifier { arbiter.combineIdentifier }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription), arbiter.attach(link) { downstream.receive(subscription: arbiter) }
        }

        @inlinable
        func receive(_ input: Prefix.Output) -> Subscribers.Demand {
            guard link.isActive, arbiter.takeDemand() else { return .none }
            return arbiter.didDeliver(downstream.receive(input))
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Prefix.Failure>) {
            guard link.complete() else { return }
            switch completion {
            case .finished:
                arbiter.detach()
                arbiter.takeSuffix()?.subscribe(FinalUpstreamSubscriber(downstream: downstream, arbiter: arbiter))
            case .failure:
                _ = arbiter.takeSuffix()
                if arbiter.complete() { downstream.receive(completion: completion) }
            }
        }
    }
}

/// Holds the publisher that comes second until it is its turn, or nobody wants it any more.
@usableFromInline
// Safe because what it adds is behind a lock, and only moved out of it.
final class ConcatenationArbiter<Suffix: Publisher>: SubscriptionArbiter, @unchecked Sendable {
    // Safe because it is only touched under the lock.
    private struct Waiting: @unchecked Sendable {
        var suffix: Suffix?
    }

    private let waiting: Locked<Waiting>

    @usableFromInline
    init(suffix: Suffix) {
        waiting = Locked(Waiting(suffix: suffix))
        super.init("Concatenate")
    }

    @usableFromInline
    func takeSuffix() -> Suffix? {
        waiting.withLock { exchange(&$0, with: Waiting()) }.suffix
    }

    @usableFromInline
    override func cancel() {
        super.cancel()
        let released = takeSuffix()
        withExtendedLifetime(released) {}
    }
}
