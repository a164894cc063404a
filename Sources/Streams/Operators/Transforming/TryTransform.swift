extension Operators {
    /// A publisher that transforms or drops values with a closure that can throw the upstream's type of failure.
    ///
    /// See ``Publisher/tryMap(throwing:_:)``, ``Publisher/tryFilter(throwing:_:)`` and
    /// ``Publisher/tryCompactMap(throwing:_:)``.
    public struct TryTransform<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms a value, or drops it by returning nil.
        public let transform: @Sendable (Upstream.Output) throws(Failure) -> Output?

        @usableFromInline let name: String

        /// Creates a publisher that transforms or drops the values of another one.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws(Failure) -> Output?) {
            self.init("TryTransform", upstream: upstream, transform: transform)
        }

        /// - Parameters:
        ///   - name: The operator's name, as `print()` writes it.
        ///   - upstream: The upstream publisher.
        ///   - transform: The closure that transforms a value, or drops it by returning nil.
        @inlinable
        init(
            _ name: String, upstream: Upstream,
            transform: @escaping @Sendable (Upstream.Output) throws(Failure) -> Output?
        ) {
            self.name = name
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(FilteringSubscriber(name, downstream: subscriber, filter: TransformFilter(transform)))
        }
    }
}

extension Operators.TryTransform: Sendable where Upstream: Sendable {}

extension Operators {
    /// A publisher that transforms or drops values by those before, with a closure that throws a typed error.
    ///
    /// See ``Publisher/tryScan(throwing:_:_:)``, ``Publisher/tryRemoveDuplicates(throwing:by:)``,
    /// ``Publisher/tryDrop(throwing:while:)`` and ``Publisher/tryPrefix(throwing:while:)``.
    public struct TryStatefulTransform<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        @usableFromInline let name: String
        @usableFromInline let makeDecision: () -> (Upstream.Output) throws(Failure) -> Decision<Output>

        /// - Parameters:
        ///   - name: The operator's name, as `print()` writes it.
        ///   - upstream: The upstream publisher.
        ///   - makeDecision: A closure that returns the decision for one subscription, with its own state. It captures
        ///     `@Sendable` closures and values of type `Output` alone.
        @inlinable
        init(
            _ name: String, upstream: Upstream,
            makeDecision: @escaping () -> (Upstream.Output) throws(Failure) -> Decision<Output>
        ) {
            self.name = name
            self.upstream = upstream
            self.makeDecision = makeDecision
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(FilteringSubscriber(name, downstream: subscriber, filter: ClosureFilter(makeDecision())))
        }
    }
}

// Safe because the stored closure captures `@Sendable` closures and values of type `Output` alone.
extension Operators.TryStatefulTransform: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}
