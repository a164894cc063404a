extension Publisher {
    /// Passes on one value, and finishes.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   output(at: 1)
    /// ─────2|
    /// ```
    ///
    /// For each of the values before another one is asked for. If there are too few values, none is passed on. The
    /// upstream is cancelled as soon as the value is out. Cancellation and a completion that comes sooner pass through.
    /// Signals come on the thread that the upstream sends them on.
    ///
    /// - Parameter index: The number of values that come before. A negative one is a programmer's error.
    @inlinable
    public func output(at index: Int) -> Publishers.Output<Self> {
        output(in: index...index)
    }

    /// Passes on the values in a range, and finishes with the last of them.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   output(in: 1...2)
    /// ─────2──3|
    /// ```
    ///
    /// For each of the values before the range another one is asked for. The upstream is cancelled as soon as the last
    /// value is out. With an empty range the stream finishes at once, without waiting for demand. Cancellation and a
    /// completion that comes sooner pass through. Signals come on the thread that the upstream sends them on.
    ///
    /// - Parameter range: Which values are passed on, counted from zero. Negative bounds are a programmer's error.
    @inlinable
    public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
        Publishers.Output(upstream: self, range: range.relative(to: 0..<Int.max))
    }
}

extension Publishers {
    /// The publisher that ``Publisher/prefix(_:)``, ``Publisher/output(at:)`` and ``Publisher/output(in:)`` make.
    public struct Output<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Which values are passed on, counted from zero.
        public let range: CountableRange<Int>

        /// Makes the publisher; ``Publisher/prefix(_:)``, ``Publisher/output(at:)`` and ``Publisher/output(in:)`` are
        /// the usual ways to it.
        @inlinable
        public init(upstream: Upstream, range: CountableRange<Int>) {
            precondition(range.lowerBound >= 0 && range.upperBound >= 0, "a stream has no values before its first")
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
        @usableFromInline let downstream: Downstream
        @usableFromInline let range: Range<Int>
        @usableFromInline let link: OutputSubscription

        @inlinable
        init(downstream: Downstream, range: Range<Int>) {
            self.downstream = downstream
            self.range = range
            link = OutputSubscription()
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
            // Values that came before the subscription leave it to come.
            if link.complete(cancellingUpstream: true) { downstream.receive(completion: .finished) }
            return additional
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { downstream.receive(completion: completion) }
        }
    }

    @usableFromInline
    // Safe because what it adds belongs to the upstream's serial signals.
    final class OutputSubscription: UpstreamLink, @unchecked Sendable {

        /// How many values have come. It belongs to the upstream's signals.
        @exclusivity(unchecked) @usableFromInline var nextIndex = 0

        @usableFromInline override var description: String { "Output" }
    }
}
