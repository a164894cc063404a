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

/// The arities differ in how many inputs they have. What happens is the coordinator's.
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
            let state = CombiningState(inputCount: 2)
            let first = LatestInput<A.Output>(state)
            let second = LatestInput<B.Output>(state)
            let coordinator = CombiningCoordinator(
                "CombineLatest", inputs: [first, second], state: state, unrequested: .isReplaced, downstream: subscriber
            ) { (first.take(), second.take()) }
            coordinator.join(a, as: first)
            coordinator.join(b, as: second)
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
            let state = CombiningState(inputCount: 3)
            let first = LatestInput<A.Output>(state)
            let second = LatestInput<B.Output>(state)
            let third = LatestInput<C.Output>(state)
            let coordinator = CombiningCoordinator(
                "CombineLatest", inputs: [first, second, third], state: state, unrequested: .isReplaced,
                downstream: subscriber
            ) { (first.take(), second.take(), third.take()) }
            coordinator.join(a, as: first)
            coordinator.join(b, as: second)
            coordinator.join(c, as: third)
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
            let state = CombiningState(inputCount: 4)
            let first = LatestInput<A.Output>(state)
            let second = LatestInput<B.Output>(state)
            let third = LatestInput<C.Output>(state)
            let fourth = LatestInput<D.Output>(state)
            let coordinator = CombiningCoordinator(
                "CombineLatest", inputs: [first, second, third, fourth], state: state, unrequested: .isReplaced,
                downstream: subscriber
            ) { (first.take(), second.take(), third.take(), fourth.take()) }
            coordinator.join(a, as: first)
            coordinator.join(b, as: second)
            coordinator.join(c, as: third)
            coordinator.join(d, as: fourth)
        }
    }
}

extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}
extension Publishers.CombineLatest: Sendable where A: Sendable, B: Sendable {}
extension Publishers.CombineLatest3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.CombineLatest3: Sendable where A: Sendable, B: Sendable, C: Sendable {}
extension Publishers.CombineLatest4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
extension Publishers.CombineLatest4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}

extension Collection where Element: Publisher {
    /// Delivers the newest values of all the publishers as an array, in the order of the publishers, whenever one has a
    /// new one.
    ///
    /// ```
    /// [──1──────2──────|, ─────8──────9──|].combineLatest()
    /// ───────[1,8][2,8][2,9]─|
    /// ```
    ///
    /// Demand, completion, cancellation and threads are those of `combineLatest`. Without publishers it completes at
    /// once.
    @inlinable
    @_disfavoredOverload
    public func combineLatest() -> Operators.CombineLatestMany<Element> {
        Operators.CombineLatestMany(self)
    }
}

extension Operators {
    /// The publisher that `combineLatest()` of a collection makes.
    public struct CombineLatestMany<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The publishers, in the order in which they are subscribed to.
        public let publishers: [Upstream]

        /// Makes the publisher; `combineLatest()` is the usual way to it.
        @inlinable
        public init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream {
            self.publishers = Array(publishers)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let state = CombiningState(inputCount: publishers.count)
            let inputs = publishers.map { _ in LatestInput<Upstream.Output>(state) }
            let coordinator = CombiningCoordinator(
                "CombineLatest", inputs: inputs, state: state, unrequested: .isReplaced, downstream: subscriber
            ) { inputs.map { $0.take() } }
            coordinator.join(publishers, as: inputs)
        }
    }
}

extension Operators.CombineLatestMany: Equatable where Upstream: Equatable {}
extension Operators.CombineLatestMany: Sendable where Upstream: Sendable {}
