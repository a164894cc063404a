extension Publisher {
    /// Drops values up to the first one that does not satisfy a condition.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   drop { $0 < 2 }
    /// ─────2──3──1──|
    /// ```
    ///
    /// The completion and the cancellation pass through.
    ///
    /// **Demand.** For each dropped value the operator requests another one.
    ///
    /// - Parameter predicate: A closure that returns whether to drop a value, called on the thread that delivers it. It
    ///   is not called again once it has returned false.
    @preconcurrency
    @inlinable
    public func drop(while predicate: @escaping @Sendable (Output) -> Bool) -> Publishers.DropWhile<Self> {
        Publishers.DropWhile(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher that drops values of its upstream up to the first one that does not satisfy a condition.
    public struct DropWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether to drop a value.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Creates a publisher that drops values of another one up to the first that does not satisfy a condition.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let filter = DropWhileFilter<Output, Failure>(predicate)
            upstream.subscribe(FilteringSubscriber("DropWhile", downstream: subscriber, filter: filter))
        }
    }
}

extension Publishers.DropWhile: Sendable where Upstream: Sendable {}

/// Drops values up to the first one that does not satisfy a condition.
@usableFromInline
struct DropWhileFilter<Value, Failure: Error>: ElementFilter {
    @usableFromInline let predicate: (Value) throws(Failure) -> Bool
    @usableFromInline let isDropping = SerialState(true)

    @inlinable
    init(_ predicate: @escaping (Value) throws(Failure) -> Bool) {
        self.predicate = predicate
    }

    @inlinable
    func decide(_ value: Value) throws(Failure) -> Decision<Value> {
        if isDropping.value {
            if try predicate(value) { return .skip }
            isDropping.value = false
        }
        return .pass(value)
    }
}

extension Publisher {
    /// Drops values up to the first one that does not satisfy a condition that can throw.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   tryDrop { if $0 == 2 { throw E } else { $0 < 3 } }
    /// ─────✕ E
    /// ```
    ///
    /// Like ``drop(while:)``. An error that the closure throws cancels the upstream and becomes the failure.
    ///
    /// - Parameter predicate: A closure that returns whether to drop a value, called on the thread that delivers it. It
    ///   is not called again once it has returned false.
    @preconcurrency
    @inlinable
    public func tryDrop(while predicate: @escaping @Sendable (Output) throws -> Bool) -> Publishers.TryDropWhile<Self> {
        Publishers.TryDropWhile(upstream: self, predicate: predicate)
    }

    /// Drops values up to the first one that does not satisfy a condition that throws a typed error.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   tryDrop(throwing: ParseError.self) { text throws(ParseError) in try number(text) < 2 }
    /// ─────2──3──1──|
    /// ```
    ///
    /// Like ``tryDrop(while:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: A closure that returns whether to drop a value, called on the thread that delivers it. It is not
    ///     called again once it has returned false.
    @preconcurrency
    @inlinable
    public func tryDrop(
        throwing errorType: Failure.Type, while predicate: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryStatefulTransform<Self, Output> {
        Operators.TryStatefulTransform("TryDropWhile", upstream: self) { DropWhileFilter(predicate).decide }
    }
}

extension Publishers {
    /// A publisher that drops values up to the first one that does not satisfy a condition that can throw.
    public struct TryDropWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether to drop a value.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Creates a publisher that drops values of another one up to the first that does not satisfy a condition.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.erasingFailure.subscribe(
                FilteringSubscriber("TryDropWhile", downstream: subscriber, filter: DropWhileFilter(predicate)))
        }
    }
}

extension Publishers.TryDropWhile: Sendable where Upstream: Sendable {}
