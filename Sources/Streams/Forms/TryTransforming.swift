// The transforming operators with a closure that can throw any error, or the publisher's type of failure.

extension Publisher {
    /// Transforms each value with a closure that can throw.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryMap { if $0 == 3 { throw E } else { $0 * 10 } }
    /// ──10─20─✕ E
    /// ```
    ///
    /// Like `map(_:)`. An error that the closure throws cancels the upstream and becomes the failure.
    ///
    /// - Parameter transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func tryMap<T>(_ transform: @escaping @Sendable (Output) throws -> T) -> Publishers.TryMap<Self, T> {
        Publishers.TryMap(upstream: self, transform: transform)
    }

    /// Transforms each value with a closure that can throw the publisher's type of failure.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryMap(throwing: ParseError.self) { text throws(ParseError) in try parse(text) }
    /// ──a──b──✕ ParseError
    /// ```
    ///
    /// Like ``tryMap(_:)``, but the failure keeps its type. A publisher that cannot fail gets a type of failure
    /// from ``setFailureType(to:)``.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - transform: A closure that returns the new value, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func tryMap<T>(
        throwing errorType: Failure.Type, _ transform: @escaping @Sendable (Output) throws(Failure) -> T
    ) -> Operators.TryTransform<Self, T> {
        Operators.TryTransform("TryMap", upstream: self) { (value) throws(Failure) -> T? in try transform(value) }
    }
}

extension Publishers {
    /// A publisher that transforms each value of its upstream with a closure that can throw.
    public struct TryMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms each value.
        public let transform: @Sendable (Upstream.Output) throws -> Output

        /// Creates a publisher that transforms each value of another one with a closure that can throw.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws -> Output) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.erasingFailure.subscribe(
                FilteringSubscriber("TryMap", downstream: subscriber, filter: MapFilter(transform)))
        }
    }
}

extension Publishers.TryMap: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Transforms each value with a closure that can throw, and drops the results that are nil.
    ///
    /// ```
    /// ──"1"──"x"──""───|
    ///   tryCompactMap { if $0.isEmpty { throw E } else { Int($0) } }
    /// ───1─────────✕ E
    /// ```
    ///
    /// Like ``compactMap(_:)``. An error that the closure throws cancels the upstream and becomes the failure.
    ///
    /// - Parameter transform: A closure that returns the new value or nil, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func tryCompactMap<T>(
        _ transform: @escaping @Sendable (Output) throws -> T?
    ) -> Publishers.TryCompactMap<Self, T> {
        Publishers.TryCompactMap(upstream: self, transform: transform)
    }

    /// Transforms each value with a closure that throws a typed error, and drops the results that are nil.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryCompactMap(throwing: ParseError.self) { text throws(ParseError) in try number(text) }
    /// ──1─────✕ ParseError
    /// ```
    ///
    /// Like ``tryCompactMap(_:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - transform: A closure that returns the new value or nil, called on the thread that delivers the old one.
    @preconcurrency
    @inlinable
    public func tryCompactMap<T>(
        throwing errorType: Failure.Type, _ transform: @escaping @Sendable (Output) throws(Failure) -> T?
    ) -> Operators.TryTransform<Self, T> {
        Operators.TryTransform("TryCompactMap", upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher that transforms each value with a closure that can throw, and drops the results that are nil.
    public struct TryCompactMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that transforms each value, or drops it by returning nil.
        public let transform: @Sendable (Upstream.Output) throws -> Output?

        /// Creates a publisher that transforms each value of another one, and drops the results that are nil.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws -> Output?) {
            self.upstream = upstream
            self.transform = transform
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.erasingFailure.tryCompactMap(throwing: (any Error).self, transform)
                .receive(subscriber: subscriber)
        }
    }
}

extension Publishers.TryCompactMap: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Combines each value with the previous result by a closure that can throw, and publishes each result.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryScan(0) { if $1 == 3 { throw E } else { $0 + $1 } }
    /// ──1──3──✕ E
    /// ```
    ///
    /// Like ``scan(_:_:)``. An error that the closure throws cancels the upstream and becomes the failure.
    ///
    /// - Parameters:
    ///   - initialResult: The result before the first value of each subscription.
    ///   - nextPartialResult: A closure that combines the previous result and a value, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) throws -> T
    ) -> Publishers.TryScan<Self, T> {
        Publishers.TryScan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
    }

    /// Publishes each result of a closure that combines a value with the previous result, or throws a typed error.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryScan(throwing: SumError.self, 0) { sum, text throws(SumError) in try sum + number(text) }
    /// ──1──3──✕ SumError
    /// ```
    ///
    /// Like ``tryScan(_:_:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - initialResult: The result before the first value of each subscription.
    ///   - nextPartialResult: A closure that combines the previous result and a value, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func tryScan<T>(
        throwing errorType: Failure.Type, _ initialResult: T,
        _ nextPartialResult: @escaping @Sendable (T, Output) throws(Failure) -> T
    ) -> Operators.TryStatefulTransform<Self, T> {
        Operators.TryStatefulTransform("TryScan", upstream: self) {
            let result = SerialState(initialResult)
            return { (value) throws(Failure) in
                let next = try nextPartialResult(result.value, value)
                result.value = next
                return .pass(next)
            }
        }
    }
}

extension Publishers {
    /// A publisher that combines each value of its upstream with the previous result by a closure that can throw.
    public struct TryScan<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The result before the first value.
        public let initialResult: Output

        /// The closure that combines the previous result and a value.
        public let nextPartialResult: @Sendable (Output, Upstream.Output) throws -> Output

        /// Creates a publisher that combines each value of another one with the previous result.
        @preconcurrency
        @inlinable
        public init(
            upstream: Upstream, initialResult: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) throws -> Output
        ) {
            self.upstream = upstream
            self.initialResult = initialResult
            self.nextPartialResult = nextPartialResult
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.erasingFailure.tryScan(throwing: (any Error).self, initialResult, nextPartialResult)
                .receive(subscriber: subscriber)
        }
    }
}

extension Publishers.TryScan: Sendable where Upstream: Sendable, Output: Sendable {}

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
