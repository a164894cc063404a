extension Publisher {
    /// Keeps values that there is no demand for yet, up to a number.
    ///
    /// ```
    /// ──1──2──3──4──────|
    ///   buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)    (demand comes late)
    /// ───────────────3──4|
    /// ```
    ///
    /// The upstream is asked at once, before the subscriber is: for as many values as the buffer holds, and one more
    /// for each delivered, or for all there are. A failure of the upstream is delivered at once, and what was kept is
    /// dropped; after a normal completion what was kept is delivered first. Cancellation drops what was kept. Values
    /// are delivered on the thread that brings them or that asks for them, one after the other.
    ///
    /// To ``Publisher/values-156lz`` it delivers everything there is, also before a failure. Of an upstream that does
    /// not wait for demand it keeps more than `size` values then.
    ///
    /// - Parameters:
    ///   - size: How many values are kept at most.
    ///   - prefetch: How much the upstream is asked for.
    ///   - whenFull: What becomes of a value for which there is no room.
    @inlinable
    public func buffer(
        size: Int,
        prefetch: Publishers.PrefetchStrategy,
        whenFull: Publishers.BufferingStrategy<Failure>
    ) -> Publishers.Buffer<Self> {
        Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
    }
}

extension Publishers {
    /// How much a buffer asks its upstream for.
    public enum PrefetchStrategy: Hashable, Sendable {
        /// As many values as the buffer holds, and one more for each that is delivered.
        case keepFull

        /// All there are.
        case byRequest
    }

    /// What a buffer does with a value for which it has no room.
    @preconcurrency
    public enum BufferingStrategy<Failure: Error>: Sendable {
        /// Drops the value.
        case dropNewest

        /// Drops the value that has been kept longest, and keeps the new one.
        case dropOldest

        /// Cancels the upstream, and ends with the error that the closure makes, once the subscriber asks for values
        /// again and has received what it asked for.
        case customError(@Sendable () -> Failure)
    }

    /// The publisher that ``Publisher/buffer(size:prefetch:whenFull:)`` makes.
    public struct Buffer<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// How many values are kept at most.
        public let size: Int

        /// How much the upstream is asked for.
        public let prefetch: PrefetchStrategy

        /// What becomes of a value for which there is no room.
        public let whenFull: BufferingStrategy<Failure>

        /// Makes the publisher; ``Publisher/buffer(size:prefetch:whenFull:)`` is the usual way to it.
        @inlinable
        public init(
            upstream: Upstream, size: Int, prefetch: PrefetchStrategy, whenFull: BufferingStrategy<Failure>
        ) {
            self.upstream = upstream
            self.size = size
            self.prefetch = prefetch
            self.whenFull = whenFull
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(BufferLink(downstream: subscriber, size: size, prefetch: prefetch, whenFull: whenFull))
        }
    }
}

extension Publishers.Buffer: Sendable where Upstream: Sendable {}
