extension Publisher {
    /// Leaves out the values that amount to the same as the one before, by a closure that may throw, which ends the stream.
    ///
    /// ```
    /// ──1──1──2──0──|
    ///   tryRemoveDuplicates { if $1 == 0 { throw E } else { $0 == $1 } }
    /// ──1─────2──✕ E
    /// ```
    ///
    /// For every value left out another one is asked for. When the closure throws, the upstream is cancelled and the error
    /// delivered.
    ///
    /// - Parameter predicate: Whether two values amount to the same. It is called with the value before, left out or not,
    ///   and the new one, on the thread that delivers the latter.
    @preconcurrency
    @inlinable
    public func tryRemoveDuplicates(
        by predicate: @escaping @Sendable (Output, Output) throws -> Bool
    ) -> Publishers.TryRemoveDuplicates<Self> {
        Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryRemoveDuplicates(by:)`` makes.
    public struct TryRemoveDuplicates<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        public let upstream: Upstream

        /// Whether two values amount to the same.
        public let predicate: @Sendable (Output, Output) throws -> Bool

        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Output, Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(Inner(downstream: subscriber, predicate: predicate))
        }
    }
}

extension Publishers.TryRemoveDuplicates: Sendable where Upstream: Sendable {}

extension Publishers.TryRemoveDuplicates {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == any Error {
        @usableFromInline let downstream: Downstream
        @usableFromInline let predicate: @Sendable (Upstream.Output, Upstream.Output) throws -> Bool
        @usableFromInline let last = SerialCell<Upstream.Output?>(nil)
        @usableFromInline let link: UpstreamLink

        @inlinable
        init(
            downstream: Downstream, predicate: @escaping @Sendable (Upstream.Output, Upstream.Output) throws -> Bool
        ) {
            self.downstream = downstream
            self.predicate = predicate
            link = UpstreamLink(
                "TryRemoveDuplicates", keeping: foreignObject(downstream), rules: .filtering,
                portrait: .subscriber(and: "last", last))
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return link.refuse() }
            let previous = last.value
            last.value = input
            do {
                if let previous, try predicate(previous, input) { return .max(1) }
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
