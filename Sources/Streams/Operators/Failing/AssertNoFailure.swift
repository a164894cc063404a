extension Publisher {
    /// Stops the program when the upstream fails, also in optimised builds.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   assertNoFailure()
    /// ──1──2──(trap)
    /// ```
    ///
    /// Use it for failures that only a programmer's error can cause. Demand, values, the cancellation and a normal
    /// completion pass through. All signals stay on the upstream's threads.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the message.
    ///   - file: The file that the message names.
    ///   - line: The line that the message names.
    @inlinable
    public func assertNoFailure(
        _ prefix: String = "", file: StaticString = #file, line: UInt = #line
    ) -> Publishers.AssertNoFailure<Self> {
        Publishers.AssertNoFailure(upstream: self, prefix: prefix, file: file, line: line)
    }
}

extension Publishers {
    /// A publisher that stops the program when its upstream fails.
    public struct AssertNoFailure<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Never

        /// The upstream publisher.
        public let upstream: Upstream

        /// The beginning of the message.
        public let prefix: String

        /// The file that the message names.
        public let file: StaticString

        /// The line that the message names.
        public let line: UInt

        /// Creates a publisher that stops the program when another one fails.
        @inlinable
        public init(upstream: Upstream, prefix: String, file: StaticString, line: UInt) {
            self.upstream = upstream
            self.prefix = prefix
            self.file = file
            self.line = line
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            upstream.subscribe(
                MapErrorSubscriber<Upstream.Failure, S>(downstream: subscriber) { [prefix, file, line] error in
                    fatalError("\(prefix.isEmpty ? "" : "\(prefix): ")\(error)", file: file, line: line)
                })
        }
    }
}

extension Publishers.AssertNoFailure: Sendable where Upstream: Sendable {}
