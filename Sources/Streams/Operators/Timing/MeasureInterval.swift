extension Publisher {
    /// Tells how much time passes between values.
    ///
    /// ```
    /// ──1─────2──3─|
    ///   measureInterval(using: queue)
    /// ──2─────6──3─|
    /// ```
    ///
    /// The first interval is counted from the subscription. A scheduler's clock that is set back yields a negative one.
    ///
    /// Demand, cancellation and the completion pass through, on the threads they come on: the scheduler is only asked
    /// for the time.
    ///
    /// - Parameters:
    ///   - scheduler: Whose clock to read.
    ///   - options: Not used. It is there because Combine has it.
    @inlinable
    public func measureInterval<S: Scheduler>(
        using scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.MeasureInterval<Self, S> {
        Publishers.MeasureInterval(upstream: self, scheduler: scheduler)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/measureInterval(using:options:)`` makes.
    public struct MeasureInterval<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Context.SchedulerTimeType.Stride
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whose clock is read.
        public let scheduler: Context

        /// Makes the publisher; ``Publisher/measureInterval(using:options:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, scheduler: Context) {
            self.upstream = upstream
            self.scheduler = scheduler
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, scheduler: scheduler))
        }
    }
}

extension Publishers.MeasureInterval: Sendable where Upstream: Sendable, Context: Sendable {}

extension Publishers.MeasureInterval {
    /// The link with the time of the previous value, which belongs to the upstream's serial signals.
    @usableFromInline
    final class MeasureIntervalSubscription: UpstreamLink {
        @exclusivity(unchecked) @usableFromInline var last: Context.SchedulerTimeType?

        @usableFromInline override var description: String { "MeasureInterval" }
    }

    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Context.SchedulerTimeType.Stride, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let scheduler: Context
        @usableFromInline let link: MeasureIntervalSubscription

        @inlinable
        init(downstream: Downstream, scheduler: Context) {
            self.downstream = downstream
            self.scheduler = scheduler
            link = MeasureIntervalSubscription()
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            link.last = scheduler.now
            downstream.receive(subscription: link)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive, let last = link.last else { return .none }
            let now = scheduler.now
            link.last = now
            let additional = downstream.receive(last.distance(to: now))
            if additional > .none { link.request(additional) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { downstream.receive(completion: completion) }
        }
    }
}
