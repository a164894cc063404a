extension Publisher {
    /// Leaves the first values out.
    ///
    /// ```
    /// ──1──2──3──|
    ///   dropFirst()
    /// ─────2──3──|
    /// ```
    ///
    /// The values left out are asked for in addition to what the subscriber asks for. Cancellation and the completion
    /// pass through. Signals come on the thread that the upstream sends them on.
    ///
    /// - Parameter count: How many values are left out. A negative number is a programmer's error.
    @inlinable
    public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
        Publishers.Drop(upstream: self, count: count)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/dropFirst(_:)`` makes.
    public struct Drop<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How many values are left out.
        public let count: Int

        /// Makes the publisher; ``Publisher/dropFirst(_:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, count: Int) {
            self.upstream = upstream
            self.count = count
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let inner = Inner(downstream: subscriber, count: count)
            upstream.subscribe(inner)
            // In case the upstream sends its subscription later.
            inner.link.handOver(to: subscriber)
            inner.link.open()
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
        @usableFromInline let link: DeferredSubscription

        @inlinable
        init(downstream: Downstream, count: Int) {
            precondition(count >= 0, "a stream has no values before its first")
            self.downstream = downstream
            remaining = SerialState(count)
            link = DeferredSubscription(
                "Drop", demand: .max(count))
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            link.handOver(to: downstream)
            link.open()
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            if remaining.value == 0 { return downstream.receive(input) }
            remaining.value -= 1
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            link.end { [downstream] in downstream.receive(completion: completion) }
        }
    }
}
