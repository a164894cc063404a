extension Publishers {
    /// The publisher of the operators that pass values on or transform them, remember something from one value to the
    /// next, and throw the upstream's own type of failure: ``Publisher/tryScan(throwing:_:_:)`` and its like.
    public struct TryStatefulTransform<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        @usableFromInline let name: OperatorName

        /// Makes what judges the values of one subscription.
        @usableFromInline let makeGate: () -> ErasedGate<Upstream.Output, Output, Failure>

        /// - Parameters:
        ///   - name: The operator's name.
        ///   - upstream: Where the values come from.
        ///   - gate: Called for each subscription, on the thread that subscribes. What it captures must be `Sendable`
        ///     unless it is of type `Output`.
        @inlinable
        init<Judge: Gate>(_ name: OperatorName, upstream: Upstream, gate: @escaping () -> Judge)
        where Judge.Input == Upstream.Output, Judge.Output == Output, Judge.Thrown == Failure {
            self.name = name
            self.upstream = upstream
            makeGate = { ErasedGate(gate()) }
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                GatingSubscriber(
                    name, downstream: subscriber, gate: makeGate(), ending: .keeping, portrait: .subscriber))
        }
    }
}

// Safe because the closure is one of the operators': it captures `@Sendable` closures, and values of type `Output`.
extension Publishers.TryStatefulTransform: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}

/// A gate of any kind, so that the operators' publisher has one type. It is made once a subscription.
@usableFromInline
struct ErasedGate<Input, Output, Thrown: Error>: Gate {
    @usableFromInline let judging: (Input) throws(Thrown) -> Verdict<Output>

    @inlinable
    init<Judge: Gate>(_ gate: Judge) where Judge.Input == Input, Judge.Output == Output, Judge.Thrown == Thrown {
        judging = { (input: Input) throws(Thrown) -> Verdict<Output> in try gate.judge(input) }
    }

    @inlinable
    func judge(_ input: Input) throws(Thrown) -> Verdict<Output> {
        try judging(input)
    }
}
