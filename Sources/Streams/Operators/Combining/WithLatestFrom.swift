extension Publisher {
    /// Delivers with each value of this publisher the newest value of another.
    ///
    /// ```
    /// ──1─────2──────3──|
    ///   withLatestFrom(────8──9──)
    /// ────────(2,8)──(3,9)|
    /// ```
    ///
    /// Values of this publisher that come before the other has one are left out, and another one is asked for in place
    /// of each. The other publisher is asked for everything, before the subscriber has its subscription, and brings
    /// nothing about by itself.
    ///
    /// The stream completes when this publisher has completed, or the other has without a value, and fails as soon as
    /// one fails. Cancellation reaches both, on the thread that cancels.
    @inlinable
    @_disfavoredOverload
    public func withLatestFrom<P: Publisher>(
        _ other: P
    ) -> Publishers.LatestFrom<Self, P> where P.Failure == Failure {
        Publishers.LatestFrom(upstream: self, other: other)
    }

    /// Delivers what is made of each value of this publisher and the newest value of another. See
    /// ``withLatestFrom(_:)``.
    ///
    /// - Parameters:
    ///   - other: The other publisher.
    ///   - transform: Called with each pair, on the thread that delivers it.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func withLatestFrom<P: Publisher, T>(
        _ other: P, _ transform: @escaping @Sendable (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.LatestFrom<Self, P>, T> where P.Failure == Failure {
        withLatestFrom(other).map { transform($0.0, $0.1) }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/withLatestFrom(_:)`` makes.
    public struct LatestFrom<Upstream: Publisher, Other: Publisher>: Publisher
    where Upstream.Failure == Other.Failure {
        public typealias Output = (Upstream.Output, Other.Output)
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The publisher whose newest value is delivered as well.
        public let other: Other

        /// Makes the publisher; ``Publisher/withLatestFrom(_:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let tally = JunctionTally(inputCount: 2)
            let sampled = SampledInput<Other.Output>(.withLatestFrom, tally)
            let sampling = SamplingInput<Upstream.Output>(.withLatestFrom, tally)
            let junction = Junction(
                .withLatestFrom, inputs: [sampled, sampling], tally: tally, unrequested: .isDelivered,
                downstream: subscriber
            ) { (sampling.take(), sampled.take()) }
            junction.join(other, as: sampled)
            junction.join(upstream, as: sampling)
        }
    }
}

extension Publishers.LatestFrom: Equatable where Upstream: Equatable, Other: Equatable {}
extension Publishers.LatestFrom: Sendable where Upstream: Sendable, Other: Sendable {}
