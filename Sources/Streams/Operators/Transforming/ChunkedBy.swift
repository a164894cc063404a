extension Publisher {
    /// Collects consecutive values into arrays, as long as each two neighbours belong together.
    ///
    /// ```
    /// ──1──2──5───────6──9───────|
    ///   chunked { $1 == $0 + 1 }
    /// ────────[1, 2]─────[5, 6]──[9]|
    /// ```
    ///
    /// The first value of the next array completes an array. An array has no size limit, and none is empty.
    ///
    /// **Demand.** Requests as many values as arrays are requested, and another one for each value that completes none.
    /// The last array waits for demand.
    ///
    /// **Completion.** The last array is delivered before the stream finishes. A failure drops it and is delivered at once.
    ///
    /// **Cancellation.** Cancels the upstream, and drops the values of an incomplete array.
    ///
    /// **Threads.** An array is delivered on the thread that delivers the value after it. The last one is delivered on the
    /// thread that finishes the upstream or requests the array.
    ///
    /// - Parameter belongInSameGroup: A closure that returns whether two consecutive values belong in the same array.
    ///   Called on the delivering thread.
    @preconcurrency
    @inlinable
    public func chunked(
        by belongInSameGroup: @escaping @Sendable (Output, Output) -> Bool
    ) -> Operators.ChunkedBy<Self> {
        Operators.ChunkedBy(upstream: self, belongInSameGroup: belongInSameGroup)
    }
}

extension Operators {
    /// A publisher that collects consecutive values into arrays, as long as each two neighbours belong together.
    public struct ChunkedBy<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// A closure that returns whether two consecutive values belong in the same array.
        public let belongInSameGroup: @Sendable (Upstream.Output, Upstream.Output) -> Bool

        /// Creates a publisher of arrays. Usually created with ``Publisher/chunked(by:)``.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream,
            belongInSameGroup: @escaping @Sendable (Upstream.Output, Upstream.Output) -> Bool
        ) {
            self.upstream = upstream
            self.belongInSameGroup = belongInSameGroup
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, belongInSameGroup: belongInSameGroup))
        }
    }
}

extension Operators.ChunkedBy: Sendable where Upstream: Sendable {}

extension Operators.ChunkedBy {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Failure = Upstream.Failure

        @usableFromInline let delivery: TrailingValueDelivery<Downstream>
        @usableFromInline let belongInSameGroup: @Sendable (Upstream.Output, Upstream.Output) -> Bool
        @usableFromInline let chunk = SerialState<[Upstream.Output]>([])

        @inlinable var downstream: Downstream { delivery.downstream }
        @inlinable var link: ScalarLink { delivery.link }

        @inlinable
        init(
            downstream: Downstream, belongInSameGroup: @escaping @Sendable (Upstream.Output, Upstream.Output) -> Bool
        ) {
            delivery = TrailingValueDelivery("ChunkedBy", downstream: downstream)
            self.belongInSameGroup = belongInSameGroup
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            if let last = chunk.value.last, !belongInSameGroup(last, input) {
                return delivery.deliver(exchange(&chunk.value, with: [input]))
            }
            chunk.value.append(input)
            return .max(1)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Failure>) {
            guard link.complete() else { return }
            let last = exchange(&chunk.value, with: [])
            if case .finished = completion, !last.isEmpty {
                delivery.finish(after: last)
            } else {
                delivery.complete(completion)
            }
        }
    }
}
