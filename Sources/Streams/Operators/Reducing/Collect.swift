extension Publisher {
    /// Collects all values into one array, delivered once there are no more.
    ///
    /// ```
    /// ──1──2──3──|
    ///   collect()
    /// ───────────[1, 2, 3]|
    /// ```
    ///
    /// There is no bound to what is kept. The upstream is asked for everything at once. The result waits until the
    /// subscriber asks for it. Cancellation passes through, and so does a failure. The result comes on the thread
    /// that completes the upstream or that asks for it.
    @inlinable
    public func collect() -> Publishers.Collect<Self> {
        Publishers.Collect(upstream: self)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/collect()`` makes.
    public struct Collect<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher; ``Publisher/collect()`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber("Collect", downstream: subscriber, reducer: CollectReducer(), ending: .passing))
        }
    }
}

extension Publishers.Collect: Equatable where Upstream: Equatable {}
extension Publishers.Collect: Sendable where Upstream: Sendable {}

extension Publishers.Collect {
    @usableFromInline
    struct CollectReducer: Reducer {
        @usableFromInline let collected = SerialState<[Upstream.Output]>([])

        @inlinable
        init() {}

        @inlinable
        func take(_ input: Upstream.Output) throws(Never) -> [Upstream.Output]? {
            collected.value.append(input)
            return nil
        }

        /// Moves the array out, so that the subscriber holds its only reference.
        @inlinable
        func conclude() -> [Upstream.Output]? {
            exchange(&collected.value, with: [])
        }
    }
}

extension Publisher {
    /// Collects the values into arrays of one size, and what remains when the stream finishes into a smaller one.
    ///
    /// ```
    /// ──1──2──3──|
    ///   collect(2)
    /// ─────[1, 2]─[3]|
    /// ```
    ///
    /// Of the upstream as many times the size is asked for as the subscriber asks for arrays. What is collected when
    /// the stream fails is left out. Cancellation and the completion pass through. Arrays come on the thread
    /// that brings the last of their values.
    ///
    /// - Parameter count: How many values make an array. It must be positive.
    @inlinable
    public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
        Publishers.CollectByCount(upstream: self, count: count)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/collect(_:)`` makes.
    public struct CollectByCount<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How many values make an array.
        public let count: Int

        /// Makes the publisher; ``Publisher/collect(_:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, count: Int) {
            self.upstream = upstream
            self.count = count
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, count: count))
        }
    }
}

extension Publishers.CollectByCount: Equatable where Upstream: Equatable {}
extension Publishers.CollectByCount: Sendable where Upstream: Sendable {}

extension Publishers.CollectByCount {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == [Upstream.Output], Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let count: Int
        @usableFromInline let collected = SerialState<[Upstream.Output]>([])
        @usableFromInline let link: CollectByCountSubscription

        @inlinable
        init(downstream: Downstream, count: Int) {
            precondition(count > 0, "an array of collected values has at least one")
            self.downstream = downstream
            self.count = count
            link = CollectByCountSubscription(factor: count)
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            collected.value.append(input)
            guard collected.value.count == count else { return .none }
            return downstream.receive(exchange(&collected.value, with: [])) * count
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            let rest = exchange(&collected.value, with: [])
            // There is demand for the rest: the upstream was asked for these values as parts of an array.
            if !rest.isEmpty, link.isActive, case .finished = completion {
                _ = downstream.receive(rest)
                guard link.isActive else { return }
            }
            if link.complete() { downstream.receive(completion: completion) }
        }
    }

    /// A link that asks for the parts of what it is asked for.
    @usableFromInline
    // Safe because what it adds is a constant.
    final class CollectByCountSubscription: UpstreamLink, @unchecked Sendable {
        private let factor: Int

        @usableFromInline
        init(factor: Int) {
            self.factor = factor
        }

        @usableFromInline override var description: String { "CollectByCount" }

        @usableFromInline
        override func request(_ demand: Subscribers.Demand) {
            super.request(demand * factor)
        }
    }
}
