// `zip` of three and four publishers, and of any number of one type. `Zip.swift` has that of two.

extension Publisher {
    /// Publishes triples of the values of three publishers. See ``zip(_:)``.
    @inlinable
    public func zip<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> Publishers.Zip3<Self, P, Q> where Failure == P.Failure, Failure == Q.Failure {
        Publishers.Zip3(self, publisher1, publisher2)
    }

    /// Transforms the values of three publishers, taken together. See ``zip(_:)``.
    ///
    /// - Parameters:
    ///   - publisher1: The second publisher.
    ///   - publisher2: The third publisher.
    ///   - transform: A closure that returns the value to publish for a combination.
    @preconcurrency
    @inlinable
    public func zip<P: Publisher, Q: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ transform: @escaping @Sendable (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Map<Publishers.Zip3<Self, P, Q>, T> where Failure == P.Failure, Failure == Q.Failure {
        zip(publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
    }

    /// Publishes quadruples of the values of four publishers. See ``zip(_:)``.
    @inlinable
    public func zip<P: Publisher, Q: Publisher, R: Publisher>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R
    ) -> Publishers.Zip4<Self, P, Q, R> where Failure == P.Failure, Failure == Q.Failure, Failure == R.Failure {
        Publishers.Zip4(self, publisher1, publisher2, publisher3)
    }

    /// Transforms the values of four publishers, taken together. See ``zip(_:)``.
    ///
    /// - Parameters:
    ///   - publisher1: The second publisher.
    ///   - publisher2: The third publisher.
    ///   - publisher3: The fourth publisher.
    ///   - transform: A closure that returns the value to publish for a combination.
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

extension Publishers {
    /// A publisher that combines the values of three publishers in their order. See ``Publisher/zip(_:)``.
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

        /// Creates a publisher that subscribes to the publishers in this order.
        @inlinable
        public init(_ a: A, _ b: B, _ c: C) {
            (self.a, self.b, self.c) = (a, b, c)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let inputA = CombiningInput<A.Output>(.queue)
            let inputB = CombiningInput<B.Output>(.queue)
            let inputC = CombiningInput<C.Output>(.queue)
            let coordinator = CombiningCoordinator(
                "Zip", [inputA.link, inputB.link, inputC.link], downstream: subscriber
            ) { (inputA.values.take(&$0), inputB.values.take(&$0), inputC.values.take(&$0)) }
            coordinator.subscribe(inputA, to: a)
            coordinator.subscribe(inputB, to: b)
            coordinator.subscribe(inputC, to: c)
        }
    }

    /// A publisher that combines the values of four publishers in their order. See ``Publisher/zip(_:)``.
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

        /// Creates a publisher that subscribes to the publishers in this order.
        @inlinable
        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            (self.a, self.b, self.c, self.d) = (a, b, c, d)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let inputA = CombiningInput<A.Output>(.queue)
            let inputB = CombiningInput<B.Output>(.queue)
            let inputC = CombiningInput<C.Output>(.queue)
            let inputD = CombiningInput<D.Output>(.queue)
            let coordinator = CombiningCoordinator(
                "Zip", [inputA.link, inputB.link, inputC.link, inputD.link], downstream: subscriber
            ) { (inputA.values.take(&$0), inputB.values.take(&$0), inputC.values.take(&$0), inputD.values.take(&$0)) }
            coordinator.subscribe(inputA, to: a)
            coordinator.subscribe(inputB, to: b)
            coordinator.subscribe(inputC, to: c)
            coordinator.subscribe(inputD, to: d)
        }
    }
}

extension Publishers.Zip3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.Zip3: Sendable where A: Sendable, B: Sendable, C: Sendable {}
extension Publishers.Zip4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
extension Publishers.Zip4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}

extension Collection where Element: Publisher {
    /// Publishes the values of all publishers of the collection as arrays, in the order of the publishers.
    ///
    /// ```
    /// [──1──2─────3──|, ─────8──9──|].zipMany()
    /// ───────[1,8][2,9]|
    /// ```
    ///
    /// Without publishers the stream finishes at once. See ``Publisher/zip(_:)``.
    @inlinable
    @_disfavoredOverload
    public func zipMany() -> Operators.ZipMany<Element> {
        Operators.ZipMany(self)
    }
}

extension Operators {
    /// A publisher that combines the values of any number of publishers in their order. See ``Publisher/zip(_:)``.
    public struct ZipMany<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The publishers, in the order in which they are subscribed to.
        public let publishers: [Upstream]

        /// Creates a publisher that subscribes to the publishers in their order.
        @inlinable
        public init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream {
            self.publishers = Array(publishers)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let inputs = publishers.map { _ in CombiningInput<Upstream.Output>(.queue) }
            let coordinator = CombiningCoordinator("Zip", inputs.map(\.link), downstream: subscriber) { state in
                inputs.map { $0.values.take(&state) }
            }
            if inputs.isEmpty { coordinator.start() }
            for (input, publisher) in Swift.zip(inputs, publishers) { coordinator.subscribe(input, to: publisher) }
        }
    }
}

extension Operators.ZipMany: Equatable where Upstream: Equatable {}
extension Operators.ZipMany: Sendable where Upstream: Sendable {}
