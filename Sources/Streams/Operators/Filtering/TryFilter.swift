extension Publisher {
    /// Passes on the values that fulfil a condition, which may throw, and that ends the stream.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   tryFilter { if $0 == 3 { throw E } else { $0.isMultiple(of: 2) } }
    /// ─────2──✕ E
    /// ```
    ///
    /// For every value left out another one is asked for. When the closure throws, the upstream is cancelled and the
    /// error delivered.
    ///
    /// - Parameter isIncluded: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryFilter(
        _ isIncluded: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryFilter<Self> {
        Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryFilter(_:)`` makes.
    public struct TryFilter<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether a value is passed on.
        public let isIncluded: @Sendable (Upstream.Output) throws -> Bool

        /// Makes the publisher; ``Publisher/tryFilter(_:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, isIncluded: @escaping @Sendable (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                GatingSubscriber(
                    .tryFilter, downstream: subscriber, gate: Selection(isIncluded), ending: .erasing,
                    rules: .filtering, portrait: .subscriber))
        }
    }
}

extension Publishers.TryFilter: Sendable where Upstream: Sendable {}

/// Passes on what fulfils a condition.
@usableFromInline
struct Selection<Input, Thrown: Error>: Gate {
    @usableFromInline let isIncluded: (Input) throws(Thrown) -> Bool

    @inlinable
    init(_ isIncluded: @escaping (Input) throws(Thrown) -> Bool) {
        self.isIncluded = isIncluded
    }

    @inlinable
    func judge(_ input: Input) throws(Thrown) -> Verdict<Input> {
        try isIncluded(input) ? .pass(input) : .skip
    }
}
