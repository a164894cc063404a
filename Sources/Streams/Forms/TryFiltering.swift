// The filtering operators with a closure that can throw any error, or the publisher's type of failure.

extension Publisher {
    /// Publishes the values that satisfy a condition that can throw.
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   tryFilter { if $0 == 3 { throw E } else { $0.isMultiple(of: 2) } }
    /// ─────2──✕ E
    /// ```
    ///
    /// Like ``filter(_:)``. An error that the closure throws cancels the upstream and becomes the failure.
    ///
    /// - Parameter isIncluded: A closure that returns whether to publish a value, called on the delivering thread.
    @preconcurrency
    @inlinable
    public func tryFilter(_ isIncluded: @escaping @Sendable (Output) throws -> Bool) -> Publishers.TryFilter<Self> {
        Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
    }

    /// Publishes the values that satisfy a condition that can throw the publisher's type of failure.
    ///
    /// ```
    /// ──1──2──✗──4──|
    ///   tryFilter(throwing: ParseError.self) { text throws(ParseError) in try isWanted(text) }
    /// ──1─────✕ ParseError
    /// ```
    ///
    /// Like ``tryFilter(_:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - isIncluded: A closure that returns whether to publish a value, called on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryFilter(
        throwing errorType: Failure.Type, _ isIncluded: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryTransform<Self, Output> {
        Operators.TryTransform("TryFilter", upstream: self) { (value) throws(Failure) -> Output? in
            try isIncluded(value) ? value : nil
        }
    }
}

extension Publishers {
    /// A publisher of the values of its upstream that satisfy a condition that can throw.
    public struct TryFilter<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether to publish a value.
        public let isIncluded: @Sendable (Upstream.Output) throws -> Bool

        /// Creates a publisher of the values of another one that satisfy a condition that can throw.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, isIncluded: @escaping @Sendable (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.erasingFailure.subscribe(
                FilteringSubscriber("TryFilter", downstream: subscriber, filter: PredicateFilter(isIncluded)))
        }
    }
}

extension Publishers.TryFilter: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Drops each value that a closure that can throw considers a duplicate of the previous one.
    ///
    /// ```
    /// ──1──1──2──0──|
    ///   tryRemoveDuplicates { if $1 == 0 { throw E } else { $0 == $1 } }
    /// ──1─────2──✕ E
    /// ```
    ///
    /// Like ``removeDuplicates(by:)``. An error that the closure throws cancels the upstream and becomes the failure.
    ///
    /// - Parameter predicate: A closure that returns whether a value is a duplicate of the previous one, which may have
    ///   been dropped itself. It is called with the previous value and the new one, on the delivering thread.
    @preconcurrency
    @inlinable
    public func tryRemoveDuplicates(
        by predicate: @escaping @Sendable (Output, Output) throws -> Bool
    ) -> Publishers.TryRemoveDuplicates<Self> {
        Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
    }

    /// Drops each value that a closure that throws a typed error considers a duplicate of the previous one.
    ///
    /// ```
    /// ──1──1──2──✗──|
    ///   tryRemoveDuplicates(throwing: ParseError.self) { one, other throws(ParseError) in try isSame(one, other) }
    /// ──1─────2──✕ ParseError
    /// ```
    ///
    /// Like ``tryRemoveDuplicates(by:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: A closure that returns whether a value is a duplicate of the previous one, which may have been
    ///     dropped itself. It is called with the previous value and the new one, on the delivering thread.
    @preconcurrency
    @inlinable
    public func tryRemoveDuplicates(
        throwing errorType: Failure.Type, by predicate: @escaping @Sendable (Output, Output) throws(Failure) -> Bool
    ) -> Operators.TryStatefulTransform<Self, Output> {
        Operators.TryStatefulTransform("TryRemoveDuplicates", upstream: self) { DuplicateFilter(predicate).decide }
    }
}

extension Publishers {
    /// A publisher that drops each value that a closure that can throw considers a duplicate of the previous one.
    public struct TryRemoveDuplicates<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether a value is a duplicate of the previous one.
        public let predicate: @Sendable (Output, Output) throws -> Bool

        /// Creates a publisher that drops each value of another one that is a duplicate of the previous one.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Output, Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.erasingFailure.subscribe(
                FilteringSubscriber("TryRemoveDuplicates", downstream: subscriber, filter: DuplicateFilter(predicate)))
        }
    }
}

extension Publishers.TryRemoveDuplicates: Sendable where Upstream: Sendable {}

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

extension Publisher {
    /// Publishes values until one does not satisfy a condition that can throw, and finishes there.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   tryPrefix { if $0 == 2 { throw E } else { $0 < 3 } }
    /// ──1──✕ E
    /// ```
    ///
    /// Like ``prefix(while:)``. An error that the closure throws cancels the upstream and becomes the failure.
    ///
    /// - Parameter predicate: A closure that returns whether to publish a value, called on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryPrefix(
        while predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryPrefixWhile<Self> {
        Publishers.TryPrefixWhile(upstream: self, predicate: predicate)
    }

    /// Publishes values until one does not satisfy a condition that throws a typed error, and finishes there.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   tryPrefix(throwing: ParseError.self) { text throws(ParseError) in try number(text) < 3 }
    /// ──1──2──|
    /// ```
    ///
    /// Like ``tryPrefix(while:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: A closure that returns whether to publish a value, called on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryPrefix(
        throwing errorType: Failure.Type, while predicate: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryStatefulTransform<Self, Output> {
        Operators.TryStatefulTransform("TryPrefixWhile", upstream: self) { PrefixWhileFilter(predicate).decide }
    }
}

extension Publishers {
    /// A publisher of the values of its upstream until one does not satisfy a condition that can throw.
    public struct TryPrefixWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The closure that returns whether to publish a value.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Creates a publisher of the values of another one until one does not satisfy a condition that can throw.
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
                FilteringSubscriber("TryPrefixWhile", downstream: subscriber, filter: PrefixWhileFilter(predicate)))
        }
    }
}

extension Publishers.TryPrefixWhile: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Publishes the first value that satisfies a condition that can throw.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryFirst { if $0 == 2 { throw E } else { $0 > 1 } }
    /// ─────✕ E
    /// ```
    ///
    /// Like ``first(where:)``. An error that the closure throws cancels the upstream and is delivered at once.
    ///
    /// - Parameter predicate: A closure that returns whether a value matches.
    @preconcurrency
    @inlinable
    public func tryFirst(
        where predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryFirstWhere<Self> {
        Publishers.TryFirstWhere(upstream: self, predicate: predicate)
    }

    /// Publishes the first value that satisfies a condition that can throw the publisher's type of failure.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryFirst(throwing: ParseError.self) { text throws(ParseError) in try number(text) > 1 }
    /// ─────2|
    /// ```
    ///
    /// Like ``tryFirst(where:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: A closure that returns whether a value matches.
    @preconcurrency
    @inlinable
    public func tryFirst(
        throwing errorType: Failure.Type, where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryReduction<Self, Output> {
        Operators.TryReduction("TryFirstWhere", upstream: self) { FirstReducer(predicate) }
    }
}

extension Publishers {
    /// A publisher that delivers the first value of the upstream that satisfies a condition that can throw.
    public struct TryFirstWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// A closure that returns whether a value satisfies the condition.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Creates a publisher of the first match. Usually created with ``Publisher/tryFirst(where:)``.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                ReducingSubscriber(
                    "TryFirstWhere", downstream: subscriber, reducer: FirstReducer(predicate), mapping: .erasing))
        }
    }
}

extension Publishers.TryFirstWhere: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Publishes the last value that satisfies a condition that can throw.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryLast { if $0 == 2 { throw E } else { $0 < 3 } }
    /// ─────✕ E
    /// ```
    ///
    /// Like ``last(where:)``. An error that the closure throws cancels the upstream and is delivered at once.
    ///
    /// - Parameter predicate: A closure that returns whether a value matches.
    @preconcurrency
    @inlinable
    public func tryLast(where predicate: @escaping @Sendable (Output) throws -> Bool) -> Publishers.TryLastWhere<Self> {
        Publishers.TryLastWhere(upstream: self, predicate: predicate)
    }

    /// Publishes the last value that satisfies a condition that can throw the publisher's type of failure.
    ///
    /// ```
    /// ──1──2──3──|
    ///   tryLast(throwing: ParseError.self) { text throws(ParseError) in try number(text) < 3 }
    /// ───────────2|
    /// ```
    ///
    /// Like ``tryLast(where:)``, but the failure keeps its type.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: A closure that returns whether a value matches.
    @preconcurrency
    @inlinable
    public func tryLast(
        throwing errorType: Failure.Type, where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryReduction<Self, Output> {
        Operators.TryReduction("TryLastWhere", upstream: self) { LastReducer(predicate) }
    }
}

extension Publishers {
    /// A publisher that delivers the last value of the upstream that satisfies a condition that can throw.
    public struct TryLastWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this publisher subscribes to.
        public let upstream: Upstream

        /// A closure that returns whether a value satisfies the condition.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Creates a publisher of the last match. Usually created with ``Publisher/tryLast(where:)``.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                ReducingSubscriber(
                    "TryLastWhere", downstream: subscriber, reducer: LastReducer(predicate), mapping: .erasing))
        }
    }
}

extension Publishers.TryLastWhere: Sendable where Upstream: Sendable {}
