extension Publisher {
    /// Replaces a failure by a value, and finishes.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   replaceError(with: 0)
    /// ──1──2──0|
    /// ```
    ///
    /// **Demand.** Passed on. The value waits for demand like any other.
    ///
    /// **Completion.** Finishes when this publisher does, or after the value.
    ///
    /// **Cancellation.** Cancels this publisher, and the value is not delivered any more.
    ///
    /// **Threads.** The value is delivered on the thread that delivers the failure or requests the value.
    ///
    /// - Parameter output: The value.
    @inlinable
    public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
        Publishers.ReplaceError(upstream: self, output: output)
    }
}

extension Publishers {
    /// A publisher that replaces a failure by a value.
    public struct ReplaceError<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Never

        /// The value that replaces a failure.
        public let output: Upstream.Output

        /// The publisher that may fail.
        public let upstream: Upstream

        /// Creates a publisher that replaces the failure of another one by a value.
        @inlinable
        public init(upstream: Upstream, output: Output) {
            self.upstream = upstream
            self.output = output
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            upstream.subscribe(subscriber, catchingAs: "ReplaceError") { [output] _ in Just(output) }
        }
    }
}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}
extension Publishers.ReplaceError: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
