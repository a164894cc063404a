extension Publisher {
    /// Waits for a value of this publisher and one of another, and delivers them as a pair.
    ///
    /// ```
    /// ──1──2───────3──────|
    ///   zip(─────8──9──|)
    /// ─────────(1,8)(2,9)|
    /// ```
    ///
    /// The first goes with the first, the second with the second. What is asked for is asked of both; values wait until
    /// they can be paired.
    ///
    /// The stream completes when one publisher has completed and its values are used up, and fails as soon as one fails; the
    /// others are then cancelled. To ``Publisher/values-156lz`` it delivers the pairs there are before the failure. Cancellation
    /// reaches all of them, on the thread that cancels. Values may come from several threads at once; pairs are delivered one
    /// after the other.
    @inlinable
    public func zip<P: Publisher>(
        _ other: P
    ) -> Publishers.Zip<Self, P> where Failure == P.Failure {
        Publishers.Zip(self, other)
    }

    /// Waits for a value of each of two publishers, and delivers what is made of them. See ``zip(_:)``.
    ///
    /// - Parameters:
    ///   - other: The other publisher.
    ///   - transform: Called with each combination, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func zip<P: Publisher, T>(
        _ other: P, _ transform: @escaping @Sendable (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.Zip<Self, P>, T> where Failure == P.Failure {
        zip(other).map { transform($0.0, $0.1) }
    }

    /// Waits for a value of each of three publishers, and delivers them together. See ``zip(_:)``.
    @inlinable
    public func zip<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> Publishers.Zip3<Self, P, Q> where Failure == P.Failure, Failure == Q.Failure {
        Publishers.Zip3(self, publisher1, publisher2)
    }

    /// Waits for a value of each of three publishers, and delivers what is made of them. See ``zip(_:)``.
    ///
    /// - Parameters:
    ///   - publisher1: The second publisher.
    ///   - publisher2: The third.
    ///   - transform: Called with each combination, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func zip<P: Publisher, Q: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ transform: @escaping @Sendable (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Map<Publishers.Zip3<Self, P, Q>, T> where Failure == P.Failure, Failure == Q.Failure {
        zip(publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
    }

    /// Waits for a value of each of four publishers, and delivers them together. See ``zip(_:)``.
    @inlinable
    public func zip<P: Publisher, Q: Publisher, R: Publisher>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R
    ) -> Publishers.Zip4<Self, P, Q, R> where Failure == P.Failure, Failure == Q.Failure, Failure == R.Failure {
        Publishers.Zip4(self, publisher1, publisher2, publisher3)
    }

    /// Waits for a value of each of four publishers, and delivers what is made of them. See ``zip(_:)``.
    ///
    /// - Parameters:
    ///   - publisher1: The second publisher.
    ///   - publisher2: The third.
    ///   - publisher3: The fourth.
    ///   - transform: Called with each combination, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func zip<P: Publisher, Q: Publisher, R: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R,
        _ transform: @escaping @Sendable (Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Map<Publishers.Zip4<Self, P, Q, R>, T>
    where Failure == P.Failure, Failure == Q.Failure, Failure == R.Failure {
        zip(publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
    }
}

/// The arities differ in how many inputs they have. What happens is the coordinator's.
extension Publishers {
    /// A publisher that pairs the values of two publishers. See ``Publisher/zip(_:)``.
    public struct Zip<A: Publisher, B: Publisher>: Publisher
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
            let first = QueuedInput<A.Output>(state)
            let second = QueuedInput<B.Output>(state)
            let coordinator = CombiningCoordinator(
                "Zip", inputs: [first, second], state: state, unrequested: .waits, downstream: subscriber
            ) { (first.take(), second.take()) }
            coordinator.join(a, as: first)
            coordinator.join(b, as: second)
        }
    }

    /// A publisher that puts together the values of three publishers. See ``Publisher/zip(_:)``.
    public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
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
            let first = QueuedInput<A.Output>(state)
            let second = QueuedInput<B.Output>(state)
            let third = QueuedInput<C.Output>(state)
            let coordinator = CombiningCoordinator(
                "Zip", inputs: [first, second, third], state: state, unrequested: .waits, downstream: subscriber
            ) { (first.take(), second.take(), third.take()) }
            coordinator.join(a, as: first)
            coordinator.join(b, as: second)
            coordinator.join(c, as: third)
        }
    }

    /// A publisher that puts together the values of four publishers. See ``Publisher/zip(_:)``.
    public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
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
            let first = QueuedInput<A.Output>(state)
            let second = QueuedInput<B.Output>(state)
            let third = QueuedInput<C.Output>(state)
            let fourth = QueuedInput<D.Output>(state)
            let coordinator = CombiningCoordinator(
                "Zip", inputs: [first, second, third, fourth], state: state, unrequested: .waits, downstream: subscriber
            ) { (first.take(), second.take(), third.take(), fourth.take()) }
            coordinator.join(a, as: first)
            coordinator.join(b, as: second)
            coordinator.join(c, as: third)
            coordinator.join(d, as: fourth)
        }
    }
}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Zip: Sendable where A: Sendable, B: Sendable {}
extension Publishers.Zip3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.Zip3: Sendable where A: Sendable, B: Sendable, C: Sendable {}
extension Publishers.Zip4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
extension Publishers.Zip4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}

extension Collection where Element: Publisher {
    /// Waits for a value of each of the publishers, and delivers them as an array, in the order of the publishers.
    ///
    /// ```
    /// [──1──2─────3──|, ─────8──9──|].zipMany()
    /// ───────[1,8][2,9]|
    /// ```
    ///
    /// Demand, completion, cancellation and threads are those of `zip`. Without publishers it completes at once.
    @inlinable
    @_disfavoredOverload
    public func zipMany() -> Operators.ZipMany<Element> {
        Operators.ZipMany(self)
    }
}

extension Operators {
    /// The publisher that `zipMany()` of a collection makes.
    public struct ZipMany<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The publishers, in the order in which they are subscribed to.
        public let publishers: [Upstream]

        /// Makes the publisher; `zipMany()` is the usual way to it.
        @inlinable
        public init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream {
            self.publishers = Array(publishers)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let state = CombiningState(inputCount: publishers.count)
            let inputs = publishers.map { _ in QueuedInput<Upstream.Output>(state) }
            let coordinator = CombiningCoordinator(
                "Zip", inputs: inputs, state: state, unrequested: .waits, downstream: subscriber
            ) { inputs.map { $0.take() } }
            coordinator.join(publishers, as: inputs)
        }
    }
}

extension Operators.ZipMany: Equatable where Upstream: Equatable {}
extension Operators.ZipMany: Sendable where Upstream: Sendable {}
