extension Publisher {
    /// Passes on values until another publisher delivers one, and finishes.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   prefix(untilOutputFrom: ─────a──|)
    /// ──1──2|
    /// ```
    ///
    /// Both publishers are cancelled then. That the other one ends without a value means nothing. The signal may come
    /// from any thread; a value being delivered at that time on another one comes before the completion. Demand,
    /// cancellation and the completion pass through.
    ///
    /// - Parameter publisher: The publisher whose first value is waited for. It is asked for one value, and subscribed
    ///   to before this publisher.
    @inlinable
    public func prefix<P: Publisher>(
        untilOutputFrom publisher: P
    ) -> Publishers.PrefixUntilOutput<Self, P> {
        Publishers.PrefixUntilOutput(upstream: self, other: publisher)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/prefix(untilOutputFrom:)`` makes.
    public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The publisher whose first value is waited for.
        public let other: Other

        /// Makes the publisher; ``Publisher/prefix(untilOutputFrom:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let stream = UntilOutputCoordinator("PrefixUntilOutput", downstream: subscriber)
            other.subscribe(Signal(stream))
            upstream.subscribe(UntilOutputSubscriber(stream, awaitsSignal: false))
        }
    }
}

extension Publishers.PrefixUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

extension Publishers.PrefixUntilOutput {
    /// The half that faces the publisher that gives the signal.
    @usableFromInline
    struct Signal<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let stream: UntilOutputCoordinator<Downstream>

        @inlinable
        init(_ stream: UntilOutputCoordinator<Downstream>) {
            self.stream = stream
        }

        @inlinable var combineIdentifier: CombineIdentifier { stream.link.combineIdentifier }

        @inlinable
        func receive(subscription: any Subscription) {
            if stream.link.signal.attach(subscription) { subscription.request(.max(1)) }
        }

        @inlinable
        func receive(_ input: Other.Output) -> Subscribers.Demand {
            if stream.link.noteSignal() { stream.end(.finished) }
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Other.Failure>) {
            _ = stream.link.signal.complete()
        }
    }
}
