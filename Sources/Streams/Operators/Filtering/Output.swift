extension Publisher {
    /// Publishes the value at an index, and finishes.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   output(at: 1)
    /// ─────2|
    /// ```
    ///
    /// The cancellation passes through. All signals stay on the upstream's threads.
    ///
    /// **Demand.** For each value before the index the operator requests another one.
    ///
    /// **Completion.** The value at the index cancels the upstream. An earlier completion passes through.
    ///
    /// - Parameter index: The index of the value, which must not be negative.
    @inlinable
    public func output(at index: Int) -> Publishers.Output<Self> {
        output(in: index...index)
    }

    /// Publishes the values in a range of indices, and finishes with the last of them.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   output(in: 1...2)
    /// ─────2──3|
    /// ```
    ///
    /// The cancellation passes through. All signals stay on the upstream's threads.
    ///
    /// **Demand.** For each value before the range the operator requests another one.
    ///
    /// **Completion.** The last value in the range cancels the upstream; with an empty range, the subscription does. A
    /// completion of the upstream before that passes through.
    ///
    /// - Parameter range: The indices of the values, which must not be negative.
    @inlinable
    public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
        Publishers.Output(upstream: self, range: range.relative(to: 0..<Int.max))
    }
}

extension Publishers {
    /// A publisher of the values of its upstream in a range of indices.
    public struct Output<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The indices of the values.
        public let range: CountableRange<Int>

        /// Creates a publisher of the values of another one in a range of indices.
        @inlinable
        public init(upstream: Upstream, range: CountableRange<Int>) {
            precondition(range.lowerBound >= 0 && range.upperBound >= 0, "an index of a value must not be negative")
            self.upstream = upstream
            self.range = range
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, range: range))
        }
    }
}

extension Publishers.Output: Equatable where Upstream: Equatable {}
extension Publishers.Output: Sendable where Upstream: Sendable {}

extension Publishers.Output {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Failure = Upstream.Failure

        @usableFromInline let downstream: Downstream
        @usableFromInline let range: Range<Int>
        @usableFromInline let link: OutputLink

        @inlinable
        init(downstream: Downstream, range: Range<Int>) {
            self.downstream = downstream
            self.range = range
            link = OutputLink()
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            downstream.receive(subscription: link)
            if range.isEmpty, link.complete(cancellingUpstream: true) { downstream.receive(completion: .finished) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            let index = link.nextIndex
            guard link.isActive, index < range.upperBound else { return .none }
            link.nextIndex = index + 1
            if index < range.lowerBound { return .max(1) }
            let additional = downstream.receive(input)
            guard index + 1 == range.upperBound else { return additional }
            if link.complete(cancellingUpstream: true) { downstream.receive(completion: .finished) }
            return additional
        }
    }

    @usableFromInline
    final class OutputLink: UpstreamLink {
        /// The number of values received. Belongs to the upstream's serial signals.
        @exclusivity(unchecked) @usableFromInline var nextIndex = 0

        @usableFromInline
        init() {
            super.init("Output")
        }
    }
}
