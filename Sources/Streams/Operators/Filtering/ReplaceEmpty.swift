extension Publisher {
    /// Publishes a value if the upstream finishes without one.
    ///
    /// ```
    /// ───────────|
    ///   replaceEmpty(with: 0)
    /// ───────────0|
    /// ```
    ///
    /// **Demand.** Passes through. The replacement waits for demand.
    ///
    /// **Completion.** A failure passes through.
    ///
    /// **Cancellation.** Cancels the upstream.
    ///
    /// **Threads.** The replacement is delivered on the thread that finishes the upstream or requests it.
    ///
    /// - Parameter output: The replacement for an empty stream.
    @inlinable
    public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
        Publishers.ReplaceEmpty(upstream: self, output: output)
    }
}

extension Publishers {
    /// A publisher that replaces an empty stream with a value.
    public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// The value that replaces an empty stream.
        public let output: Upstream.Output

        /// Creates a publisher that replaces an empty stream. Usually created with ``Publisher/replaceEmpty(with:)``.
        @inlinable
        public init(upstream: Upstream, output: Upstream.Output) {
            self.upstream = upstream
            self.output = output
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, output: output))
        }
    }
}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}
extension Publishers.ReplaceEmpty: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publishers.ReplaceEmpty {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let output: Upstream.Output
        @usableFromInline let isEmpty = SerialState(true)
        @usableFromInline let last: ScalarSubscription<Downstream>
        @usableFromInline let link: ScalarLink

        @inlinable
        init(downstream: Downstream, output: Upstream.Output) {
            self.downstream = downstream
            self.output = output
            last = ScalarSubscription("ReplaceEmpty", downstream: downstream)
            link = ScalarLink(last, forwardsDemand: true)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            isEmpty.value = false
            return downstream.receive(input)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            if isEmpty.value, case .finished = completion {
                last.resolve(.value(output))
            } else {
                last.resolve(.completion(completion))
            }
        }
    }
}
