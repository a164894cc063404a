extension Publisher {
    /// Stops the program when the upstream fails.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   assertNoFailure()
    /// ──1──2──(trap)
    /// ```
    ///
    /// It is for failures that cannot occur unless the program is wrong; optimised builds stop as well. Demand,
    /// cancellation, values and a normal completion pass through, on the thread they come on.
    ///
    /// - Parameters:
    ///   - prefix: What the message begins with.
    ///   - file: The file the message names.
    ///   - line: The line the message names.
    @inlinable
    public func assertNoFailure(
        _ prefix: String = "", file: StaticString = #file, line: UInt = #line
    ) -> Publishers.AssertNoFailure<Self> {
        Publishers.AssertNoFailure(upstream: self, prefix: prefix, file: file, line: line)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/assertNoFailure(_:file:line:)`` makes.
    public struct AssertNoFailure<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Never

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// What the message begins with.
        public let prefix: String

        /// The file the message names.
        public let file: StaticString

        /// The line the message names.
        public let line: UInt

        /// Makes the publisher; ``Publisher/assertNoFailure(_:file:line:)`` is the usual way to it.
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
            upstream.subscribe(Inner(downstream: subscriber, prefix: prefix, file: file, line: line))
        }
    }
}

extension Publishers.AssertNoFailure: Sendable where Upstream: Sendable {}

extension Publishers.AssertNoFailure {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: ForwardingSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Never {
        @usableFromInline let downstream: Downstream
        @usableFromInline let prefix: String
        @usableFromInline let file: StaticString
        @usableFromInline let line: UInt

        @inlinable
        init(downstream: Downstream, prefix: String, file: StaticString, line: UInt) {
            self.downstream = downstream
            self.prefix = prefix
            self.file = file
            self.line = line
        }

        @inlinable
        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            downstream.receive(input)
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            switch completion {
            case .finished:
                downstream.receive(completion: .finished)
            case .failure(let error):
                fatalError("\(prefix.isEmpty ? "" : "\(prefix): ")\(error)", file: file, line: line)
            }
        }
    }
}
