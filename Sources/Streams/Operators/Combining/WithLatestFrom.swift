extension Publisher {
    /// Publishes each value of this publisher with the latest value of another one.
    ///
    /// ```
    /// ──1─────2──────3──|
    ///   withLatestFrom(────8──9──)
    /// ────────(2,8)──(3,9)|
    /// ```
    ///
    /// Values of this publisher that come before the other one has sent a value are dropped. Values of the other publisher
    /// are stored and publish nothing by themselves.
    ///
    /// **Demand.** A request goes to this publisher. A dropped value is replaced by requesting another one. All values of
    /// the other publisher are requested before the subscriber receives its subscription. Of a publisher that emits inside
    /// `request`, 64 values are requested, and another one for each value that is combined.
    ///
    /// **Completion.** The stream finishes when this publisher has finished, or the other one has without a value. It
    /// fails as soon as one of them fails.
    ///
    /// **Cancellation.** Cancels both publishers.
    ///
    /// **Threads.** Pairs are delivered on the thread that delivers the value of this publisher.
    ///
    /// - Parameter other: The publisher of the latest values.
    @inlinable
    @_disfavoredOverload
    public func withLatestFrom<P: Publisher>(_ other: P) -> Operators.LatestFrom<Self, P> where P.Failure == Failure {
        Operators.LatestFrom(upstream: self, other: other)
    }

    /// Transforms each value of this publisher and the latest value of another one. See ``withLatestFrom(_:)``.
    ///
    /// - Parameters:
    ///   - other: The publisher of the latest values.
    ///   - transform: A closure that returns the value to publish for a pair.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func withLatestFrom<P: Publisher, T>(
        _ other: P, _ transform: @escaping @Sendable (Output, P.Output) -> T
    ) -> Publishers.Map<Operators.LatestFrom<Self, P>, T> where P.Failure == Failure {
        withLatestFrom(other).map { transform($0.0, $0.1) }
    }

    /// Publishes each value of this publisher with the latest values of two others. See ``withLatestFrom(_:)``.
    @inlinable
    @_disfavoredOverload
    public func withLatestFrom<A: Publisher, B: Publisher>(
        _ a: A, _ b: B
    ) -> Operators.LatestFrom2<Self, A, B> where A.Failure == Failure, B.Failure == Failure {
        Operators.LatestFrom2(upstream: self, a: a, b: b)
    }

    /// Transforms each value of this publisher and the latest values of two others. See ``withLatestFrom(_:)``.
    ///
    /// - Parameters:
    ///   - a: The second publisher.
    ///   - b: The third publisher.
    ///   - transform: A closure that returns the value to publish for a combination.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func withLatestFrom<A: Publisher, B: Publisher, T>(
        _ a: A, _ b: B, _ transform: @escaping @Sendable (Output, A.Output, B.Output) -> T
    ) -> Publishers.Map<Operators.LatestFrom2<Self, A, B>, T> where A.Failure == Failure, B.Failure == Failure {
        withLatestFrom(a, b).map { transform($0.0, $0.1, $0.2) }
    }

    /// Publishes each value of this publisher with the latest values of three others. See ``withLatestFrom(_:)``.
    @inlinable
    @_disfavoredOverload
    public func withLatestFrom<A: Publisher, B: Publisher, C: Publisher>(
        _ a: A, _ b: B, _ c: C
    ) -> Operators.LatestFrom3<Self, A, B, C> where A.Failure == Failure, B.Failure == Failure, C.Failure == Failure {
        Operators.LatestFrom3(upstream: self, a: a, b: b, c: c)
    }

    /// Transforms each value of this publisher and the latest values of three others. See ``withLatestFrom(_:)``.
    ///
    /// - Parameters:
    ///   - a: The second publisher.
    ///   - b: The third publisher.
    ///   - c: The fourth publisher.
    ///   - transform: A closure that returns the value to publish for a combination.
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
    /// A publisher of each value with the latest value of another publisher. See ``Publisher/withLatestFrom(_:)``.
    public struct LatestFrom<Upstream: Publisher, Other: Publisher>: Publisher where Upstream.Failure == Other.Failure {
        public typealias Output = (Upstream.Output, Other.Output)
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream
        /// The publisher of the latest values.
        public let other: Other

        /// Creates a publisher that subscribes to the others before its upstream.
        @inlinable
        public init(upstream: Upstream, other: Other) {
            (self.upstream, self.other) = (upstream, other)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let trigger = CombiningInput<Upstream.Output>(.trigger)
            let inputOther = CombiningInput<Other.Output>(.sampled)
            let coordinator = CombiningCoordinator(
                "WithLatestFrom", [inputOther.link, trigger.link], downstream: subscriber
            ) { (trigger.values.take(&$0), inputOther.values.take(&$0)) }
            coordinator.subscribe(inputOther, to: other)
            coordinator.subscribe(trigger, to: upstream)
        }
    }

    /// A publisher of each value with the latest values of two others. See ``Publisher/withLatestFrom(_:)``.
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

        /// Creates a publisher that subscribes to the others before its upstream.
        @inlinable
        public init(upstream: Upstream, a: A, b: B) {
            (self.upstream, self.a, self.b) = (upstream, a, b)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let trigger = CombiningInput<Upstream.Output>(.trigger)
            let inputA = CombiningInput<A.Output>(.sampled)
            let inputB = CombiningInput<B.Output>(.sampled)
            let coordinator = CombiningCoordinator(
                "WithLatestFrom", [inputA.link, inputB.link, trigger.link], downstream: subscriber
            ) { (trigger.values.take(&$0), inputA.values.take(&$0), inputB.values.take(&$0)) }
            coordinator.subscribe(inputA, to: a)
            coordinator.subscribe(inputB, to: b)
            coordinator.subscribe(trigger, to: upstream)
        }
    }

    /// A publisher of each value with the latest values of three others. See ``Publisher/withLatestFrom(_:)``.
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

        /// Creates a publisher that subscribes to the others before its upstream.
        @inlinable
        public init(upstream: Upstream, a: A, b: B, c: C) {
            (self.upstream, self.a, self.b, self.c) = (upstream, a, b, c)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let trigger = CombiningInput<Upstream.Output>(.trigger)
            let inputA = CombiningInput<A.Output>(.sampled)
            let inputB = CombiningInput<B.Output>(.sampled)
            let inputC = CombiningInput<C.Output>(.sampled)
            let coordinator = CombiningCoordinator(
                "WithLatestFrom", [inputA.link, inputB.link, inputC.link, trigger.link], downstream: subscriber
            ) { (trigger.values.take(&$0), inputA.values.take(&$0), inputB.values.take(&$0), inputC.values.take(&$0)) }
            coordinator.subscribe(inputA, to: a)
            coordinator.subscribe(inputB, to: b)
            coordinator.subscribe(inputC, to: c)
            coordinator.subscribe(trigger, to: upstream)
        }
    }
}

extension Operators.LatestFrom: Equatable where Upstream: Equatable, Other: Equatable {}
extension Operators.LatestFrom: Sendable where Upstream: Sendable, Other: Sendable {}
extension Operators.LatestFrom2: Equatable where Upstream: Equatable, A: Equatable, B: Equatable {}
extension Operators.LatestFrom2: Sendable where Upstream: Sendable, A: Sendable, B: Sendable {}
extension Operators.LatestFrom3: Equatable where Upstream: Equatable, A: Equatable, B: Equatable, C: Equatable {}
extension Operators.LatestFrom3: Sendable where Upstream: Sendable, A: Sendable, B: Sendable, C: Sendable {}
