extension Publisher where Output: Equatable {
    /// Tells whether a value is among those of this publisher.
    ///
    /// ```
    /// ──1──2──3──|
    ///   contains(2)
    /// ─────true|
    /// ```
    ///
    /// The upstream is asked for everything at once, and cancelled when the answer is certain, which then waits until
    /// the subscriber asks for it. Cancellation and a failure pass through. The answer comes on the thread that makes
    /// it certain or that asks for it.
    ///
    /// - Parameter output: What is looked for.
    @inlinable
    public func contains(_ output: Output) -> Publishers.Contains<Self> {
        Publishers.Contains(upstream: self, output: output)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/contains(_:)`` makes.
    public struct Contains<Upstream: Publisher>: Publisher where Upstream.Output: Equatable {
        public typealias Output = Bool
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What is looked for.
        public let output: Upstream.Output

        /// Makes the publisher; ``Publisher/contains(_:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, output: Upstream.Output) {
            self.upstream = upstream
            self.output = output
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber(
                    .contains, downstream: subscriber, reducer: Search { [output] in $0 == output }, ending: .passing))
        }
    }
}

extension Publishers.Contains: Equatable where Upstream: Equatable {}
extension Publishers.Contains: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
