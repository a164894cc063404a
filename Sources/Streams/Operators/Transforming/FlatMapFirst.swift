extension Publisher {
    /// Transforms a value into a publisher, and ignores the values that come until that has finished.
    ///
    /// ```
    /// ──A─────B──────────C──────────|
    ///   flatMapFirst { $0 == B ? Fail() : ──1──2──| }
    /// ────1──2─────────────1──2─────|
    /// ```
    ///
    /// Use it to ignore presses of a button while its request is under way, for example. Other libraries call it
    /// `exhaustMap`. Its opposite is ``Publisher/flatMapLatest(_:)-6xrim``.
    ///
    /// **Demand.** All values of this publisher are requested. With limited demand one value at a time is requested
    /// from the inner publisher, and buffered until the subscriber requests it. An inner publisher with buffered values
    /// has not finished.
    ///
    /// **Completion.** Finishes when this publisher and the inner one have finished. A failure of one of them is delivered
    /// at once and cancels the other.
    ///
    /// **Cancellation.** Cancels the inner publisher and then this one.
    ///
    /// **Threads.** Signals are delivered on the thread that sends them, one after the other.
    ///
    /// - Parameter transform: A closure that creates an inner publisher, called on the thread that delivers the value.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapFirst<T, P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Operators.FlatMapFirst<P, Self> where T == P.Output, P.Failure == Failure {
        Operators.FlatMapFirst(upstream: self, transform: transform)
    }

    /// Transforms a value into a publisher that cannot fail, and ignores the values that come until that has finished.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapFirst<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Operators.FlatMapFirst<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMapFirst(FailureSetting<Output, P, Failure>(transform: transform).apply)
    }
}

extension Publisher where Failure == Never {
    /// Transforms a value into a publisher that may fail, and ignores the values that come until that has finished.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapFirst<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Operators.FlatMapFirst<P, Publishers.SetFailureType<Self, P.Failure>> {
        setFailureType(to: P.Failure.self).flatMapFirst(transform)
    }

    /// Transforms a value into a publisher, and ignores values until that has finished. No publisher can fail.
    ///
    /// Otherwise like the form with one type of failure.
    @preconcurrency
    @inlinable
    @_disfavoredOverload
    public func flatMapFirst<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Operators.FlatMapFirst<P, Self> where P.Failure == Never {
        Operators.FlatMapFirst(upstream: self, transform: transform)
    }
}

extension Operators {
    /// A publisher that transforms a value into a publisher, and ignores the values that come until that has finished.
    public struct FlatMapFirst<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        public typealias Output = NewPublisher.Output
        public typealias Failure = Upstream.Failure

        /// The publisher of the values that are transformed.
        public let upstream: Upstream

        /// The closure that creates an inner publisher.
        public let transform: @Sendable (Upstream.Output) -> NewPublisher

        /// Creates a publisher that transforms values into one publisher after the other.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> NewPublisher) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let coordinator = MergeCoordinator("FlatMapFirst", downstream: subscriber)
            subscriber.receive(subscription: coordinator)
            upstream.subscribe(
                Publishers.FlatMap<NewPublisher, Upstream>.Outer(
                    coordinator: coordinator, transform: transform, isExclusive: true))
        }
    }
}

extension Operators.FlatMapFirst: Sendable where Upstream: Sendable {}
