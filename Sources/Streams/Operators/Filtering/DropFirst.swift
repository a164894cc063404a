extension Publisher {
    /// Drops a number of values at the beginning, and passes the others on.
    ///
    /// ```
    /// ──1──2──3──|
    ///   dropFirst()
    /// ─────2──3──|
    /// ```
    ///
    /// **Demand.** Dropped values are requested in addition to the subscriber's demand.
    ///
    /// **Completion.** Passes through, also a failure.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** Values are delivered on the thread on which the upstream sends them.
    ///
    /// - Parameter count: The number of values to drop. It must not be negative.
    @inlinable
    public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
        Publishers.Drop(upstream: self, count: count)
    }
}

extension Publishers {
    /// A publisher that drops a number of values at the beginning. See ``Publisher/dropFirst(_:)``.
    public struct Drop<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The number of values to drop.
        public let count: Int

        /// Creates a publisher that drops a number of values of its upstream.
        @inlinable
        public init(upstream: Upstream, count: Int) {
            precondition(count >= 0, "the number of values to drop must not be negative")
            self.upstream = upstream
            self.count = count
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let inner = Inner(downstream: subscriber, count: count)
            // Before the upstream's, which may come later.
            subscriber.receive(subscription: inner.link)
            upstream.subscribe(inner)
        }
    }
}

extension Publishers.Drop: Equatable where Upstream: Equatable {}
extension Publishers.Drop: Sendable where Upstream: Sendable {}

extension Publishers.Drop {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let remaining: SerialState<Int>
        @usableFromInline let link: DeferredLink

        @inlinable
        init(downstream: Downstream, count: Int) {
            self.downstream = downstream
            remaining = SerialState(count)
            link = DeferredLink("Drop", demand: .max(count))
        }

        @inlinable
        func receive(subscription: any Subscription) {
            link.start(subscription)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            if remaining.value == 0 { return downstream.receive(input) }
            remaining.value -= 1
            return .none
        }
    }
}
