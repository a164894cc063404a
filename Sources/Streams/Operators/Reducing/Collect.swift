import Synchronization

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
            let collection = Collection()
            upstream.subscribe(
                ReducingSubscriber(
                    .collect, downstream: subscriber, reducer: collection, ending: .passing,
                    portrait: collection.portrait))
        }
    }
}

extension Publishers.Collect: Equatable where Upstream: Equatable {}
extension Publishers.Collect: Sendable where Upstream: Sendable {}

extension Publishers.Collect {
    @usableFromInline
    struct Collection: Reduction {
        /// What there is so far. It belongs to the upstream's signals, and how much it is to anybody.
        @usableFromInline
        final class Collected {
            @exclusivity(unchecked) @usableFromInline var values: [Upstream.Output] = []
            @usableFromInline let count = Atomic<Int>(0)

            @inlinable
            init() {}
        }

        @usableFromInline let collected = Collected()

        @inlinable
        init() {}

        @usableFromInline var portrait: LinkPortrait {
            LinkPortrait { [weak collected] _ in [("count", collected?.count.load(ordering: .relaxed) ?? 0)] }
        }

        @inlinable
        func take(_ input: Upstream.Output) throws(Never) -> [Upstream.Output]? {
            collected.values.append(input)
            collected.count.store(collected.values.count, ordering: .relaxed)
            return nil
        }

        /// Moves the values out: whoever gets the array is the only one to hold it.
        @inlinable
        func conclude() -> [Upstream.Output]? {
            collected.count.store(0, ordering: .relaxed)
            return exchange(&collected.values, with: [])
        }
    }
}
