extension Publisher {
    /// Collects all values into one array and publishes it when the upstream finishes.
    ///
    /// ```
    /// ──1──2──3──|
    ///   collect()
    /// ───────────[1, 2, 3]|
    /// ```
    ///
    /// The array has no size limit.
    ///
    /// **Demand.** Requests all values of the upstream. The result waits for demand.
    ///
    /// **Completion.** A failure is delivered at once, without a result.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** The result is delivered on the thread that finishes the upstream or requests the result.
    @inlinable
    public func collect() -> Publishers.Collect<Self> {
        Publishers.Collect(upstream: self)
    }
}

extension Publishers {
    /// A publisher that collects all values of the upstream into one array.
    public struct Collect<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// Creates a publisher that collects all values. Usually created with ``Publisher/collect()``.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber("Collect", downstream: subscriber, reducer: CollectReducer(), mapping: .passing))
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

        /// Moves the array out, so that the downstream can change it without copying it.
        @inlinable
        func finish() -> [Upstream.Output]? {
            exchange(&collected.value, with: [])
        }
    }
}

extension Publisher {
    /// Collects the values into arrays of a fixed size.
    ///
    /// ```
    /// ──1──2──3──|
    ///   collect(2)
    /// ─────[1, 2]─[3]|
    /// ```
    ///
    /// **Demand.** Requests the values of as many arrays as are requested.
    ///
    /// **Completion.** The remaining values are delivered as a smaller array at the end. A failure drops them.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** An array is delivered on the thread that delivers its last value.
    ///
    /// - Parameter count: The number of values in an array. It must be positive.
    @inlinable
    public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
        Publishers.CollectByCount(upstream: self, count: count)
    }
}

extension Publishers {
    /// A publisher that collects the values of the upstream into arrays of a fixed size.
    public struct CollectByCount<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// The number of values in an array.
        public let count: Int

        /// Creates a publisher of arrays. Usually created with ``Publisher/collect(_:)``.
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
        @usableFromInline let link: CollectByCountLink

        @inlinable
        init(downstream: Downstream, count: Int) {
            precondition(count > 0, "the size of an array must be positive")
            self.downstream = downstream
            self.count = count
            link = CollectByCountLink(count: count)
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
            // There is demand for the rest, as its values were requested as parts of an array.
            if !rest.isEmpty, link.isActive, case .finished = completion {
                _ = downstream.receive(rest)
                guard link.isActive else { return }
            }
            if link.complete() { downstream.receive(completion: completion) }
        }
    }

    /// A link that requests a number of values for each array.
    @usableFromInline
    final class CollectByCountLink: UpstreamLink {
        private let count: Int

        @usableFromInline
        init(count: Int) {
            self.count = count
            super.init("CollectByCount")
        }

        @usableFromInline
        override func request(_ demand: Subscribers.Demand) {
            super.request(demand * count)
        }
    }
}
