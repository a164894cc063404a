extension Publisher {
    /// Publishes the latest value of this publisher whenever another one publishes a value.
    ///
    /// ```
    /// ──1─2────3───────4──|
    ///   sample(─────t─────t─────t──)
    /// ──────2─────3──────4|
    /// ```
    ///
    /// A value is published once: a trigger without a new value publishes nothing.
    ///
    /// **Demand.** All values of this publisher are requested at once. A request goes to the trigger. A value of the
    /// trigger that publishes nothing is replaced by requesting another one.
    ///
    /// **Completion.** The stream finishes when either publisher has finished. If that is this one, its latest value is
    /// delivered first, when it is requested. The stream fails as soon as one of them fails.
    ///
    /// **Cancellation.** Cancels both publishers.
    ///
    /// **Threads.** Values are delivered on the thread that delivers the trigger's value.
    ///
    /// - Parameter trigger: The publisher whose values set the time. The values themselves are ignored.
    @inlinable
    public func sample<P: Publisher>(_ trigger: P) -> Operators.SampleByTrigger<Self, P> where P.Failure == Failure {
        Operators.SampleByTrigger(upstream: self, trigger: trigger)
    }

    /// Publishes the latest value whenever another publisher, which cannot fail, publishes a value.
    ///
    /// Like the form with one type of failure.
    @inlinable
    public func sample<P: Publisher>(
        _ trigger: P
    ) -> Operators.SampleByTrigger<Self, Publishers.SetFailureType<P, Failure>> where P.Failure == Never {
        sample(trigger.setFailureType(to: Failure.self))
    }
}

extension Publisher where Failure == Never {
    /// Publishes the latest value whenever another publisher publishes a value. Neither can fail.
    ///
    /// Like the form with one type of failure.
    @inlinable
    public func sample<P: Publisher>(_ trigger: P) -> Operators.SampleByTrigger<Self, P> where P.Failure == Never {
        Operators.SampleByTrigger(upstream: self, trigger: trigger)
    }
}

extension Operators {
    /// A publisher that publishes the latest value of a publisher whenever another one publishes a value.
    public struct SampleByTrigger<Upstream: Publisher, Trigger: Publisher>: Publisher
    where Upstream.Failure == Trigger.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The publisher whose values set the time.
        public let trigger: Trigger

        /// Creates a publisher that subscribes to the upstream and then to the trigger.
        @inlinable
        public init(upstream: Upstream, trigger: Trigger) {
            self.upstream = upstream
            self.trigger = trigger
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let latest = CombiningInput<Upstream.Output>(.sampledOnce)
            let times = CombiningInput<Trigger.Output>(.trigger)
            let coordinator = CombiningCoordinator(
                "Sample", [latest.link, times.link], downstream: subscriber
            ) { state in
                // At the end a value is delivered without a trigger.
                if times.values.next != nil { _ = times.values.take(&state) }
                return latest.values.take(&state)
            }
            coordinator.subscribe(latest, to: upstream)
            coordinator.subscribe(times, to: trigger)
        }
    }
}

extension Operators.SampleByTrigger: Equatable where Upstream: Equatable, Trigger: Equatable {}
extension Operators.SampleByTrigger: Sendable where Upstream: Sendable, Trigger: Sendable {}
