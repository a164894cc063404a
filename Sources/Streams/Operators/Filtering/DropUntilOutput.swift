extension Publisher {
    /// Leaves values out until another publisher delivers one.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   drop(untilOutputFrom: ─────a──|)
    /// ────────3──4──|
    /// ```
    ///
    /// Values left out use up demand. If the other publisher ends without a value, so does this one, in the same way,
    /// and its upstream is cancelled. The signal may come from any thread. Cancellation reaches both; the completion
    /// passes through.
    ///
    /// - Parameter publisher: The publisher whose first value is waited for. It is asked for one value, and subscribed
    ///   to before this publisher.
    @inlinable
    public func drop<P: Publisher>(
        untilOutputFrom publisher: P
    ) -> Publishers.DropUntilOutput<Self, P> where Failure == P.Failure {
        Publishers.DropUntilOutput(upstream: self, other: publisher)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/drop(untilOutputFrom:)`` makes.
    public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
    where Upstream.Failure == Other.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// The publisher whose first value is waited for.
        public let other: Other

        /// Makes the publisher; ``Publisher/drop(untilOutputFrom:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let stream = UntilOutputCoordinator("DropUntilOutput", downstream: subscriber)
            other.subscribe(Signal(stream))
            upstream.subscribe(UntilOutputSubscriber(stream, awaitsSignal: true))
            // In case the upstream sends its subscription later.
            stream.submit(.subscription)
        }
    }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}
extension Publishers.DropUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

extension Publishers.DropUntilOutput {
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
            _ = stream.link.noteSignal()
            return .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Other.Failure>) {
            guard stream.link.signal.complete(), !stream.link.isSignalled else { return }
            stream.end(completion)
        }
    }
}
