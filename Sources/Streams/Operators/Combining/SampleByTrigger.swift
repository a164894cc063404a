extension Publisher {
    /// Delivers the newest value whenever another publisher delivers one, if there is a new one.
    ///
    /// ```
    /// ──1─2────3───────4──|
    ///   sample(─────t─────t─────t──)
    /// ──────2─────3──────4|
    /// ```
    ///
    /// What ``Publisher/sample(every:scheduler:options:)`` is for the clock.
    ///
    /// **Demand.** This publisher is asked for all there is at once; a value that another one follows before the
    /// trigger does is left out. The trigger is asked for as many values as the subscriber asks for, and for another
    /// one in place of each that finds nothing new.
    ///
    /// **Completion** comes when either publisher has completed. If that is this one, the value that waits is delivered
    /// before the end, as soon as it is wanted. A failure of either is passed on at once.
    ///
    /// **Cancellation** reaches both, on the thread that cancels.
    ///
    /// **Threads.** Values come on the thread of the trigger.
    ///
    /// - Parameter trigger: The publisher whose values tell when; what they are does not matter.
    @inlinable
    public func sample<P: Publisher>(_ trigger: P) -> Publishers.SampleByTrigger<Self, P> where P.Failure == Failure {
        Publishers.SampleByTrigger(upstream: self, trigger: trigger)
    }

    /// Delivers the newest value whenever another publisher, which cannot fail, delivers one.
    ///
    /// Otherwise like the form with one type of failure.
    @inlinable
    public func sample<P: Publisher>(
        _ trigger: P
    ) -> Publishers.SampleByTrigger<Self, Publishers.SetFailureType<P, Failure>> where P.Failure == Never {
        sample(trigger.setFailureType(to: Failure.self))
    }
}

extension Publisher where Failure == Never {
    /// Delivers the newest value whenever another publisher delivers one. Neither can fail.
    ///
    /// Otherwise like the form with one type of failure.
    @inlinable
    public func sample<P: Publisher>(_ trigger: P) -> Publishers.SampleByTrigger<Self, P> where P.Failure == Never {
        Publishers.SampleByTrigger(upstream: self, trigger: trigger)
    }
}

extension Publishers {
    /// The publisher that `sample(_:)` makes.
    public struct SampleByTrigger<Upstream: Publisher, Trigger: Publisher>: Publisher
    where Upstream.Failure == Trigger.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The publisher whose values tell when.
        public let trigger: Trigger

        /// Makes the publisher; `sample(_:)` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, trigger: Trigger) {
            self.upstream = upstream
            self.trigger = trigger
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let tally = JunctionTally(inputCount: 2)
            let fresh = FreshInput<Upstream.Output>(.sample, tally)
            let sampling = SamplingInput<Trigger.Output>(.sample, tally)
            let junction = Junction(
                .sample, inputs: [fresh, sampling], tally: tally, unrequested: .isReplaced, downstream: subscriber
            ) {
                // At the end a value goes out that no trigger asked for.
                sampling.values.popFirst()
                return fresh.take()
            }
            junction.join(upstream, as: fresh)
            junction.join(trigger, as: sampling)
        }
    }
}

extension Publishers.SampleByTrigger: Equatable where Upstream: Equatable, Trigger: Equatable {}
extension Publishers.SampleByTrigger: Sendable where Upstream: Sendable, Trigger: Sendable {}
