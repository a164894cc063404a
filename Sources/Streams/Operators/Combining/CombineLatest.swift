extension Publisher {
    /// Publishes the latest values of this publisher and another one, whenever one of them publishes a value.
    ///
    /// ```
    /// ──1──────2─────────────|
    ///   combineLatest(────8──────9────|)
    /// ─────────(1,8)(2,8)(2,9)|
    /// ```
    ///
    /// There is no combination before each publisher has sent a value.
    ///
    /// **Demand.** A request goes to both publishers. A value that makes no combination, as the other publisher has not
    /// sent one, is replaced by requesting another one. But of a publisher that emits inside `request`, at most 64 are
    /// requested until there is a combination. Of the combinations that were not requested, the latest waits and
    /// the others are dropped. ``Publisher/values-2iy2q`` loses none, as it requests all values of both publishers.
    ///
    /// **Completion.** The stream finishes when both publishers have finished. A failure of one cancels the other one.
    ///
    /// **Cancellation.** Cancels both publishers.
    ///
    /// **Threads.** Combinations are delivered one after the other, each on the thread that delivers its newer value.
    ///
    /// - Parameter other: The other publisher.
    @inlinable
    public func combineLatest<P: Publisher>(
        _ other: P
    ) -> Publishers.CombineLatest<Self, P> where Failure == P.Failure {
        Publishers.CombineLatest(self, other)
    }

    /// Transforms the latest values of this publisher and another one. See ``combineLatest(_:)``.
    ///
    /// - Parameters:
    ///   - other: The other publisher.
    ///   - transform: A closure that returns the value to publish for a combination.
    @preconcurrency
    @inlinable
    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping @Sendable (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where Failure == P.Failure {
        combineLatest(other).map { transform($0.0, $0.1) }
    }
}

extension Publishers {
    /// A publisher that combines the latest values of two publishers. See ``Publisher/combineLatest(_:)``.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher
    where A.Failure == B.Failure {
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
            let inputA = CombiningInput<A.Output>(.latest)
            let inputB = CombiningInput<B.Output>(.latest)
            let coordinator = CombiningCoordinator(
                "CombineLatest", [inputA.link, inputB.link], downstream: subscriber
            ) { (inputA.values.take(&$0), inputB.values.take(&$0)) }
            coordinator.subscribe(inputA, to: a)
            coordinator.subscribe(inputB, to: b)
        }
    }
}

extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}
extension Publishers.CombineLatest: Sendable where A: Sendable, B: Sendable {}
