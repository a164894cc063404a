import Synchronization

extension Publisher {
    /// Subscribes to this publisher again where it fails.
    ///
    /// ```
    /// ──1──✕ E   ──1──2──|
    ///   retry(1)
    /// ──1──────────1──2──|
    /// ```
    ///
    /// Values of the failed attempts are delivered too. Demand that an attempt left unanswered is passed on to the next one.
    /// The stack does not grow with the attempts, even if all of them fail at once.
    ///
    /// - Parameter retries: How often to subscribe again at most. The failure after the last attempt is delivered.
    @inlinable
    public func retry(_ retries: Int) -> Publishers.Retry<Self> {
        Publishers.Retry(upstream: self, retries: retries)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/retry(_:)`` makes.
    public struct Retry<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream

        /// How often to subscribe again at most, nil for as often as it takes.
        public let retries: Int?

        /// - Parameter retries: Nil for as often as it takes.
        @inlinable
        public init(upstream: Upstream, retries: Int?) {
            self.upstream = upstream
            self.retries = retries
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            Attempts(upstream: upstream, retries: retries, downstream: subscriber).subscribe()
        }
    }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}
extension Publishers.Retry: Sendable where Upstream: Sendable {}

extension Publishers.Retry {
    /// One subscriber's attempts. The current attempt's source holds it; the subscriber has only the arbiter.
    ///
    /// What varies belongs to the attempts' signals, which are serial: a new attempt begins after the one before has ended.
    @usableFromInline
    final class Attempts<Downstream: Subscriber>
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let upstream: Upstream
        @usableFromInline let downstream: Downstream
        @usableFromInline let arbiter = UpstreamArbiter("Retry")

        @exclusivity(unchecked) @usableFromInline var remaining: Int?
        @exclusivity(unchecked) @usableFromInline var hasBegun = false

        /// How many subscriptions are due. Whoever makes it one subscribes, until it is zero again; an attempt that fails while
        /// it is being subscribed to only adds to it.
        @usableFromInline let due = Atomic<Int>(0)

        @inlinable
        init(upstream: Upstream, retries: Int?, downstream: Downstream) {
            self.upstream = upstream
            self.downstream = downstream
            remaining = retries
        }

        @inlinable
        func subscribe() {
            guard due.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
            repeat {
                if !arbiter.isTerminal { upstream.subscribe(Inner(attempts: self)) }
            } while due.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
        }

        @inlinable
        func begin(_ link: UpstreamLink) {
            guard arbiter.attach(link), !hasBegun else { return }
            hasBegun = true
            downstream.receive(subscription: arbiter)
        }

        /// Takes one retry off those that are left.
        ///
        /// - Returns: Whether there was one.
        @inlinable
        func takeRetry() -> Bool {
            guard let left = remaining else { return true }
            guard left > 0 else { return false }
            remaining = left - 1
            return true
        }
    }

    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let attempts: Attempts<Downstream>
        @usableFromInline let link = UpstreamLink("Retry")

        @inlinable
        init(attempts: Attempts<Downstream>) {
            self.attempts = attempts
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { attempts.begin(link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            attempts.arbiter.willDeliver()
            return attempts.arbiter.didDeliver(attempts.downstream.receive(input))
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.finish() else { return }
            if case .failure = completion, attempts.takeRetry() {
                attempts.arbiter.detach()
                attempts.subscribe()
            } else if attempts.arbiter.finish() {
                attempts.downstream.receive(completion: completion)
            }
        }
    }
}
