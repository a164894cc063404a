extension Publisher {
    /// Counts the values, and delivers their number once there are no more.
    ///
    /// ```
    /// ──a──b──c──|
    ///   count()
    /// ───────────3|
    /// ```
    ///
    /// The upstream is asked for everything at once. The result waits until the subscriber asks for it. Cancellation
    /// passes through, and so does a failure. The result comes on the thread
    /// that completes the upstream or that asks for it.
    @inlinable
    public func count() -> Publishers.Count<Self> {
        Publishers.Count(upstream: self)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/count()`` makes.
    public struct Count<Upstream: Publisher>: Publisher {
        public typealias Output = Int
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Makes the publisher; ``Publisher/count()`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ReducingSubscriber(
                    "Count", downstream: subscriber, reducer: CountReducer(), ending: .passing))
        }
    }
}

extension Publishers.Count: Equatable where Upstream: Equatable {}
extension Publishers.Count: Sendable where Upstream: Sendable {}

extension Publishers.Count {
    @usableFromInline
    struct CountReducer: Reducer {
        @usableFromInline let count = SerialState(0)

        @inlinable
        init() {}

        @inlinable
        func take(_ input: Upstream.Output) throws(Never) -> Int? {
            count.value += 1
            return nil
        }

        @inlinable
        func conclude() -> Int? {
            count.value
        }
    }
}
