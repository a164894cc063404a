extension Publisher {
    /// Publishes pairs of the values of this publisher and another one.
    ///
    /// ```
    /// ──1──2───────3──────|
    ///   zip(─────8──9──|)
    /// ─────────(1,8)(2,9)|
    /// ```
    ///
    /// The first value of one is paired with the first of the other, the second with the second. A value waits until the
    /// other publisher has sent its counterpart.
    ///
    /// **Demand.** A request goes to both publishers. Of a publisher that emits inside `request`, at most 64 values are
    /// requested ahead, also if all are wanted.
    ///
    /// **Completion.** The stream finishes when a publisher has finished and its values are used up. It fails as soon as
    /// one fails. The other publisher is cancelled then.
    ///
    /// **Cancellation.** Cancels both publishers.
    ///
    /// **Threads.** Pairs are delivered one after the other, each on the thread that delivers its last value.
    ///
    /// - Parameter other: The other publisher.
    @inlinable
    public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P> where Failure == P.Failure {
        Publishers.Zip(self, other)
    }

    /// Transforms pairs of the values of this publisher and another one. See ``zip(_:)``.
    ///
    /// - Parameters:
    ///   - other: The other publisher.
    ///   - transform: A closure that returns the value to publish for a pair.
    @preconcurrency
    @inlinable
    public func zip<P: Publisher, T>(
        _ other: P, _ transform: @escaping @Sendable (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.Zip<Self, P>, T> where Failure == P.Failure {
        zip(other).map { transform($0.0, $0.1) }
    }
}

extension Publishers {
    /// A publisher that pairs the values of two publishers. See ``Publisher/zip(_:)``.
    public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        public typealias Output = (A.Output, B.Output)
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B

        /// Creates a publisher that subscribes to the publishers in this order.
        @inlinable
        public init(_ a: A, _ b: B) {
            (self.a, self.b) = (a, b)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let inputA = CombiningInput<A.Output>(.queue)
            let inputB = CombiningInput<B.Output>(.queue)
            let coordinator = CombiningCoordinator(
                "Zip", [inputA.link, inputB.link], downstream: subscriber
            ) { (inputA.values.take(&$0), inputB.values.take(&$0)) }
            coordinator.subscribe(inputA, to: a)
            coordinator.subscribe(inputB, to: b)
        }
    }
}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Zip: Sendable where A: Sendable, B: Sendable {}
