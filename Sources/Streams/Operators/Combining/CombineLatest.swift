extension Publisher {
    /// Delivers the newest value of this publisher with the newest of another, whenever one of them has a new one.
    ///
    /// ```
    /// ──1──────2─────────────|
    ///   combineLatest(────8──────9────|)
    /// ─────────(1,8)(2,8)(2,9)|
    /// ```
    ///
    /// Nothing is delivered before each has delivered a value. What is asked for is asked of both. Combinations for which there
    /// is no demand are dropped, except for the newest, which waits for it. So that nothing is lost, ``Publisher/values-2iy2q`` asks all of
    /// them without limit: one that is endless and delivers as fast as it is asked never lets that return.
    ///
    /// The stream completes when all publishers have completed, with or without values, and fails as soon as one fails; the
    /// others are then cancelled. Cancellation reaches all of them, on the thread that cancels. Values may come from several
    /// threads at once; combinations are delivered one after the other.
    @inlinable
    public func combineLatest<P: Publisher>(
        _ other: P
    ) -> Publishers.CombineLatest<Self, P> where Failure == P.Failure {
        Publishers.CombineLatest(self, other)
    }

    /// Delivers what is made of the newest values of two publishers, whenever one of them has a new one. See ``combineLatest(_:)``.
    ///
    /// - Parameters:
    ///   - other: The other publisher.
    ///   - transform: Called with each combination, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping @Sendable (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where Failure == P.Failure {
        combineLatest(other).map { transform($0.0, $0.1) }
    }

    /// Delivers the newest values of three publishers, whenever one of them has a new one. See ``combineLatest(_:)``.
    @inlinable
    public func combineLatest<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> Publishers.CombineLatest3<Self, P, Q> where Failure == P.Failure, Failure == Q.Failure {
        Publishers.CombineLatest3(self, publisher1, publisher2)
    }

    /// Delivers what is made of the newest values of three publishers, whenever one of them has a new one. See
    /// ``combineLatest(_:)``.
    ///
    /// - Parameters:
    ///   - publisher1: The second publisher.
    ///   - publisher2: The third.
    ///   - transform: Called with each combination, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func combineLatest<P: Publisher, Q: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ transform: @escaping @Sendable (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, T> where Failure == P.Failure, Failure == Q.Failure {
        combineLatest(publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
    }

    /// Delivers the newest values of four publishers, whenever one of them has a new one. See ``combineLatest(_:)``.
    @inlinable
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R
    ) -> Publishers.CombineLatest4<Self, P, Q, R>
    where Failure == P.Failure, Failure == Q.Failure, Failure == R.Failure {
        Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
    }

    /// Delivers what is made of the newest values of four publishers, whenever one of them has a new one. See
    /// ``combineLatest(_:)``.
    ///
    /// - Parameters:
    ///   - publisher1: The second publisher.
    ///   - publisher2: The third.
    ///   - publisher3: The fourth.
    ///   - transform: Called with each combination, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R,
        _ transform: @escaping @Sendable (Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T>
    where Failure == P.Failure, Failure == Q.Failure, Failure == R.Failure {
        combineLatest(publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
    }
}

/// The arities differ in how many inputs they have. What happens is the junction's.
extension Publishers {
    /// A publisher that delivers the newest values of two publishers together. See ``Publisher/combineLatest(_:)``.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher
    where A.Failure == B.Failure {
        public typealias Output = (A.Output, B.Output)
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B

        /// Makes a publisher that subscribes to these in this order.
        @inlinable
        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let tally = JunctionTally(inputCount: 2)
            let first = LatestInput<A.Output>(.combineLatest, tally)
            let second = LatestInput<B.Output>(.combineLatest, tally)
            let junction = Junction(
                .combineLatest, inputs: [first, second], tally: tally, unrequested: .isReplaced, downstream: subscriber
            ) { (first.take(), second.take()) }
            junction.join(a, as: first)
            junction.join(b, as: second)
        }
    }

    /// A publisher that delivers the newest values of three publishers together. See ``Publisher/combineLatest(_:)``.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Failure == B.Failure, A.Failure == C.Failure {
        public typealias Output = (A.Output, B.Output, C.Output)
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B
        /// The third publisher.
        public let c: C

        /// Makes a publisher that subscribes to these in this order.
        @inlinable
        public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let tally = JunctionTally(inputCount: 3)
            let first = LatestInput<A.Output>(.combineLatest, tally)
            let second = LatestInput<B.Output>(.combineLatest, tally)
            let third = LatestInput<C.Output>(.combineLatest, tally)
            let junction = Junction(
                .combineLatest, inputs: [first, second, third], tally: tally, unrequested: .isReplaced,
                downstream: subscriber
            ) { (first.take(), second.take(), third.take()) }
            junction.join(a, as: first)
            junction.join(b, as: second)
            junction.join(c, as: third)
        }
    }

    /// A publisher that delivers the newest values of four publishers together. See ``Publisher/combineLatest(_:)``.
    public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, A.Failure == C.Failure, A.Failure == D.Failure {
        public typealias Output = (A.Output, B.Output, C.Output, D.Output)
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B
        /// The third publisher.
        public let c: C
        /// The fourth publisher.
        public let d: D

        /// Makes a publisher that subscribes to these in this order.
        @inlinable
        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let tally = JunctionTally(inputCount: 4)
            let first = LatestInput<A.Output>(.combineLatest, tally)
            let second = LatestInput<B.Output>(.combineLatest, tally)
            let third = LatestInput<C.Output>(.combineLatest, tally)
            let fourth = LatestInput<D.Output>(.combineLatest, tally)
            let junction = Junction(
                .combineLatest, inputs: [first, second, third, fourth], tally: tally, unrequested: .isReplaced,
                downstream: subscriber
            ) { (first.take(), second.take(), third.take(), fourth.take()) }
            junction.join(a, as: first)
            junction.join(b, as: second)
            junction.join(c, as: third)
            junction.join(d, as: fourth)
        }
    }
}

extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}
extension Publishers.CombineLatest: Sendable where A: Sendable, B: Sendable {}
extension Publishers.CombineLatest3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.CombineLatest3: Sendable where A: Sendable, B: Sendable, C: Sendable {}
extension Publishers.CombineLatest4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
extension Publishers.CombineLatest4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}
