extension Publisher {
    /// Passes on the values that fulfil a condition, which may throw, and that ends the stream.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   tryFilter { if $0 == 3 { throw E } else { $0.isMultiple(of: 2) } }
    /// ─────2──✕ E
    /// ```
    ///
    /// For every value left out another one is asked for. When the closure throws, the upstream is cancelled and the error
    /// delivered.
    ///
    /// - Parameter isIncluded: Called with each value, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryFilter(
        _ isIncluded: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryFilter<Self> {
        Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryFilter(_:)`` makes.
    public struct TryFilter<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        public let upstream: Upstream

        /// Whether a value is passed on.
        public let isIncluded: @Sendable (Upstream.Output) throws -> Bool

        @preconcurrency
        @inlinable
        public init(upstream: Upstream, isIncluded: @escaping @Sendable (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(Inner(downstream: subscriber, isIncluded: isIncluded))
        }
    }
}

extension Publishers.TryFilter: Sendable where Upstream: Sendable {}

extension Publishers.TryFilter {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == any Error {
        @usableFromInline let downstream: Downstream
        @usableFromInline let isIncluded: @Sendable (Upstream.Output) throws -> Bool
        @usableFromInline let link: UpstreamLink

        @inlinable
        init(downstream: Downstream, isIncluded: @escaping @Sendable (Upstream.Output) throws -> Bool) {
            self.downstream = downstream
            self.isIncluded = isIncluded
            link = UpstreamLink(
                "TryFilter", keeping: foreignObject(downstream), rules: .filtering, portrait: .subscriber)
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return link.refuse() }
            do {
                guard try isIncluded(input) else { return .max(1) }
            } catch {
                if link.cancelUpstream() { downstream.receive(completion: .failure(error)) }
                return .none
            }
            return downstream.receive(input)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.finish() { downstream.receive(completion: completion.erasingFailure()) }
        }
    }
}
