extension Publisher {
    /// Updates a result in place with each value, and publishes each result.
    ///
    /// ```
    /// ──a──b──a────────────────|
    ///   scan(into: [:]) { $0[$1, default: 0] += 1 }
    /// ──[a:1]──[a:1,b:1]──[a:2,b:1]──|
    /// ```
    ///
    /// Like ``scan(_:_:)``, but the closure changes the result instead of returning a new one, as that of
    /// `reduce(into:_:)` does. A collection is changed without being copied, unless a subscriber has kept it.
    ///
    /// - Parameters:
    ///   - initialResult: The result before the first value of each subscription.
    ///   - updateResult: A closure that updates the result with a value, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func scan<T>(
        into initialResult: T, _ updateResult: @escaping @Sendable (inout T, Output) -> Void
    ) -> Operators.ScanInto<Self, T> {
        Operators.ScanInto(upstream: self, initialResult: initialResult, updateResult: updateResult)
    }
}

extension Operators {
    /// A publisher that updates a result in place with each value of its upstream.
    public struct ScanInto<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The result before the first value.
        public let initialResult: Output

        /// The closure that updates the result with a value.
        public let updateResult: @Sendable (inout Output, Upstream.Output) -> Void

        /// Creates the publisher of ``Publisher/scan(into:_:)``.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream, initialResult: Output,
            updateResult: @escaping @Sendable (inout Output, Upstream.Output) -> Void
        ) {
            self.upstream = upstream
            self.initialResult = initialResult
            self.updateResult = updateResult
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                Inner(downstream: subscriber, initialResult: initialResult, updateResult: updateResult))
        }
    }
}

extension Operators.ScanInto: Sendable where Upstream: Sendable, Output: Sendable {}

extension Operators.ScanInto {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: ForwardingSubscriber
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline typealias Failure = Upstream.Failure

        @usableFromInline let downstream: Downstream
        @usableFromInline let updateResult: @Sendable (inout Output, Upstream.Output) -> Void
        @usableFromInline let result: SerialState<Output>

        @inlinable
        init(
            downstream: Downstream, initialResult: Output,
            updateResult: @escaping @Sendable (inout Output, Upstream.Output) -> Void
        ) {
            self.downstream = downstream
            self.updateResult = updateResult
            result = SerialState(initialResult)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            updateResult(&result.value, input)
            return downstream.receive(result.value)
        }
    }
}
