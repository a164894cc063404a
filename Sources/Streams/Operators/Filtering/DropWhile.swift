extension Publisher {
    /// Leaves values out up to the first one that does not fulfil a condition.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   drop { $0 < 2 }
    /// ─────2──3──1──|
    /// ```
    ///
    /// For every value left out another one is asked for. Cancellation and the completion pass through.
    ///
    /// - Parameter predicate: Called with each value up to the first that is passed on, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func drop(
        while predicate: @escaping @Sendable (Output) -> Bool
    ) -> Publishers.DropWhile<Self> {
        Publishers.DropWhile(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/drop(while:)`` makes.
    public struct DropWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether a value is left out.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Makes the publisher; ``Publisher/drop(while:)`` is the usual way to it.
        @preconcurrency
        @inlinable
        public init(upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                FilteringSubscriber(
                    "DropWhile", downstream: subscriber, filter: DropWhileFilter(predicate), ending: .passing))
        }
    }
}

extension Publishers.DropWhile: Sendable where Upstream: Sendable {}

extension Publisher {
    /// Leaves values out up to the first one that does not fulfil a condition, which may throw, and that ends the
    /// stream.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   tryDrop { if $0 == 2 { throw E } else { $0 < 3 } }
    /// ─────✕ E
    /// ```
    ///
    /// For every value left out another one is asked for. Cancellation and the completion pass through.
    /// When the closure throws, the upstream is cancelled and the error delivered.
    ///
    /// - Parameter predicate: Called with each value up to the first that is passed on, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryDrop(
        while predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryDropWhile<Self> {
        Publishers.TryDropWhile(upstream: self, predicate: predicate)
    }

    /// Leaves values out up to the first one that does not fulfil a condition, which may throw the publisher's own type
    /// of failure.
    ///
    /// ```
    /// ──1──2──3──1──|
    ///   tryDrop(throwing: ParseError.self) { text throws(ParseError) in try number(text) < 2 }
    /// ─────2──3──1──|
    /// ```
    ///
    /// In contrast to ``tryDrop(while:)`` the failure keeps its type, so no cast is needed further down.
    ///
    /// **Demand.** For a value that is left out another one is asked for.
    ///
    /// **Completion.** An error that is thrown cancels the upstream and ends the stream.
    ///
    /// **Cancellation and threads** are the upstream's.
    ///
    /// - Parameters:
    ///   - errorType: The publisher's type of failure.
    ///   - predicate: Called with each value up to the first that is passed on, on the thread that delivers it.
    @preconcurrency
    @inlinable
    public func tryDrop(
        throwing errorType: Failure.Type,
        while predicate: @escaping @Sendable (Output) throws(Failure) -> Bool
    ) -> Operators.TryStatefulTransform<Self, Output> {
        Operators.TryStatefulTransform("TryDropWhile", upstream: self) { DropWhileFilter(predicate) }
    }
}

extension Publishers {
    /// The publisher that ``Publisher/tryDrop(while:)`` makes.
    public struct TryDropWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Whether a value is left out.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Makes the publisher; ``Publisher/tryDrop(while:)`` is the usual way to it.
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
                FilteringSubscriber(
                    "TryDropWhile", downstream: subscriber, filter: DropWhileFilter(predicate), ending: .erasing))
        }
    }
}

extension Publishers.TryDropWhile: Sendable where Upstream: Sendable {}

/// Opens at the first value that does not fulfil a condition, and stays open.
@usableFromInline
struct DropWhileFilter<Input, Thrown: Error>: ElementFilter {
    @usableFromInline let isBelow: (Input) throws(Thrown) -> Bool
    @usableFromInline let isOpen = SerialState(false)

    @inlinable
    init(_ isBelow: @escaping (Input) throws(Thrown) -> Bool) {
        self.isBelow = isBelow
    }

    @inlinable
    func decide(_ input: Input) throws(Thrown) -> Decision<Input> {
        if isOpen.value { return .pass(input) }
        if try isBelow(input) { return .skip }
        isOpen.value = true
        return .pass(input)
    }
}
