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
    ) -> Operators.LatestFrom<Self, P> where P.Failure == Failure {
        Operators.LatestFrom(upstream: self, other: other)
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
    ) -> Publishers.Map<Operators.LatestFrom<Self, P>, T> where P.Failure == Failure {
        withLatestFrom(other).map { transform($0.0, $0.1) }
    }
}

extension Operators {
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
            let state = CombiningState(inputCount: 2)
            let sampled = SampledInput<Other.Output>(state)
            let sampling = TriggeringInput<Upstream.Output>(state)
            let coordinator = CombiningCoordinator(
                "WithLatestFrom", inputs: [sampled, sampling], state: state, unrequested: .isDelivered,
                downstream: subscriber
            ) { (sampling.take(), sampled.take()) }
            coordinator.join(other, as: sampled)
            coordinator.join(upstream, as: sampling)
        }
    }
}

extension Operators.LatestFrom: Equatable where Upstream: Equatable, Other: Equatable {}
extension Operators.LatestFrom: Sendable where Upstream: Sendable, Other: Sendable {}

extension Publisher {
    /// Delivers with each value of this publisher the newest values of two others.
    ///
    /// ```
    /// ──1───────2──────3──|
    ///   withLatestFrom(──a──────b──, ────x──)
    /// ────────(2,a,x)─(3,b,x)|
    /// ```
    ///
    /// Values of this publisher that come before each of the others has one are left out. Otherwise like
    /// ``Publisher/withLatestFrom(_:)``.
    @inlinable
    @_disfavoredOverload
    public func withLatestFrom<A: Publisher, B: Publisher>(
        _ a: A, _ b: B
    ) -> Operators.LatestFrom2<Self, A, B> where A.Failure == Failure, B.Failure == Failure {
        Operators.LatestFrom2(upstream: self, a: a, b: b)
    }

    /// Delivers what is made of each value of this publisher and the newest values of two others.
    ///
    /// See ``Publisher/withLatestFrom(_:)``.
    ///
    /// - Parameters:
    ///   - a: The second publisher.
    ///   - b: The third publisher.
    ///   - transform: Called with each combination, on the thread that delivers it.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func withLatestFrom<A: Publisher, B: Publisher, T>(
        _ a: A, _ b: B, _ transform: @escaping @Sendable (Output, A.Output, B.Output) -> T
    ) -> Publishers.Map<Operators.LatestFrom2<Self, A, B>, T> where A.Failure == Failure, B.Failure == Failure {
        withLatestFrom(a, b).map { transform($0.0, $0.1, $0.2) }
    }

    /// Delivers with each value of this publisher the newest values of three others.
    ///
    /// Values of this publisher that come before each of the others has one are left out. Otherwise like
    /// ``Publisher/withLatestFrom(_:)``.
    @inlinable
    @_disfavoredOverload
    public func withLatestFrom<A: Publisher, B: Publisher, C: Publisher>(
        _ a: A, _ b: B, _ c: C
    ) -> Operators.LatestFrom3<Self, A, B, C>
    where A.Failure == Failure, B.Failure == Failure, C.Failure == Failure {
        Operators.LatestFrom3(upstream: self, a: a, b: b, c: c)
    }

    /// Delivers what is made of each value of this publisher and the newest values of three others.
    ///
    /// See ``Publisher/withLatestFrom(_:)``.
    ///
    /// - Parameters:
    ///   - a: The second publisher.
    ///   - b: The third publisher.
    ///   - c: The fourth publisher.
    ///   - transform: Called with each combination, on the thread that delivers it.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func withLatestFrom<A: Publisher, B: Publisher, C: Publisher, T>(
        _ a: A, _ b: B, _ c: C, _ transform: @escaping @Sendable (Output, A.Output, B.Output, C.Output) -> T
    ) -> Publishers.Map<Operators.LatestFrom3<Self, A, B, C>, T>
    where A.Failure == Failure, B.Failure == Failure, C.Failure == Failure {
        withLatestFrom(a, b, c).map { transform($0.0, $0.1, $0.2, $0.3) }
    }
}

extension Operators {
    /// A publisher that delivers with each value of one publisher the newest values of two others.
    ///
    /// See ``Publisher/withLatestFrom(_:)`` for how.
    public struct LatestFrom2<Upstream: Publisher, A: Publisher, B: Publisher>: Publisher
    where Upstream.Failure == A.Failure, Upstream.Failure == B.Failure {
        public typealias Output = (Upstream.Output, A.Output, B.Output)
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream
        /// The second publisher.
        public let a: A
        /// The third publisher.
        public let b: B

        /// Makes the publisher; ``Publisher/withLatestFrom(_:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, a: A, b: B) {
            self.upstream = upstream
            self.a = a
            self.b = b
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let state = CombiningState(inputCount: 3)
            let fromA = SampledInput<A.Output>(state)
            let fromB = SampledInput<B.Output>(state)
            let sampling = TriggeringInput<Upstream.Output>(state)
            let coordinator = CombiningCoordinator(
                "WithLatestFrom", inputs: [fromA, fromB, sampling], state: state, unrequested: .isDelivered,
                downstream: subscriber
            ) { (sampling.take(), fromA.take(), fromB.take()) }
            coordinator.join(a, as: fromA)
            coordinator.join(b, as: fromB)
            coordinator.join(upstream, as: sampling)
        }
    }

    /// A publisher that delivers with each value of one publisher the newest values of three others.
    ///
    /// See ``Publisher/withLatestFrom(_:)`` for how.
    public struct LatestFrom3<Upstream: Publisher, A: Publisher, B: Publisher, C: Publisher>: Publisher
    where Upstream.Failure == A.Failure, Upstream.Failure == B.Failure, Upstream.Failure == C.Failure {
        public typealias Output = (Upstream.Output, A.Output, B.Output, C.Output)
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream
        /// The second publisher.
        public let a: A
        /// The third publisher.
        public let b: B
        /// The fourth publisher.
        public let c: C

        /// Makes the publisher; ``Publisher/withLatestFrom(_:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, a: A, b: B, c: C) {
            self.upstream = upstream
            self.a = a
            self.b = b
            self.c = c
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let state = CombiningState(inputCount: 4)
            let fromA = SampledInput<A.Output>(state)
            let fromB = SampledInput<B.Output>(state)
            let fromC = SampledInput<C.Output>(state)
            let sampling = TriggeringInput<Upstream.Output>(state)
            let coordinator = CombiningCoordinator(
                "WithLatestFrom", inputs: [fromA, fromB, fromC, sampling], state: state, unrequested: .isDelivered,
                downstream: subscriber
            ) { (sampling.take(), fromA.take(), fromB.take(), fromC.take()) }
            coordinator.join(a, as: fromA)
            coordinator.join(b, as: fromB)
            coordinator.join(c, as: fromC)
            coordinator.join(upstream, as: sampling)
        }
    }
}

extension Operators.LatestFrom2: Equatable where Upstream: Equatable, A: Equatable, B: Equatable {}
extension Operators.LatestFrom2: Sendable where Upstream: Sendable, A: Sendable, B: Sendable {}
extension Operators.LatestFrom3: Equatable where Upstream: Equatable, A: Equatable, B: Equatable, C: Equatable {}
extension Operators.LatestFrom3: Sendable where Upstream: Sendable, A: Sendable, B: Sendable, C: Sendable {}
