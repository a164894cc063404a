extension Publisher {
    /// The values of this publisher, to be awaited one after another, and its failure, thrown.
    ///
    /// ```swift
    /// for try await value in publisher.values { print(value) }
    /// ```
    ///
    /// As in Combine, what the loop throws is `any Error`; what `next()` throws is of the publisher's own type.
    ///
    /// Every iteration is a subscription of its own, made when the iterator is.
    ///
    /// **Demand.** A publisher that waits for demand is asked for one value at a time, whenever one is awaited. A
    /// publisher that would drop values nobody has asked for, such as a subject, is asked for all of them at once, and
    /// those that arrive before they are awaited are kept, without limit: nothing is lost (rule 8). That holds also for
    /// one that an operator such as `prepend`, `catch` or `flatMap` subscribes to later. One that waits for demand does
    /// so also where it follows, or takes turns with, one that does not: it may be without an end. A publisher of
    /// another kind that is not one of this library's is taken to wait for demand. Operators that ask for less than
    /// they are asked for, such as `flatMap(maxPublishers:)` of its own upstream, still do, and so do those that ask
    /// for everything, such as `flatMap`, `combineLatest` and `share`.
    ///
    /// **Completion.** After the last value `next()` throws the failure, if there was one, once, and returns nil from
    /// then on.
    ///
    /// **Cancellation.** Cancelling the task that awaits, or letting go of the iterator, cancels the subscription.
    /// After that `next()` returns nil, as with Combine; it throws nothing, so `Task.isCancelled` tells cancellation
    /// from completion. Values that were kept are dropped.
    ///
    /// **Threads.** Values may arrive on any thread; the awaiting task goes on wherever it belongs.
    @inlinable
    public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }
}

/// The values of a publisher that may fail, as an asynchronous sequence.
/// ``Publisher/values-156lz`` makes it.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
    public typealias Element = P.Output
    /// Combine's. With the publisher's own type in its place the compiler (6.3) crashes on a `rethrows` function around
    /// `next()`.
    public typealias Failure = any Error

    @usableFromInline let publisher: P

    /// The values of `publisher`. Nothing is subscribed to before there is an iterator.
    @inlinable
    public init(_ publisher: P) {
        self.publisher = publisher
    }

    /// Subscribes to the publisher.
    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(publisher)
    }

    /// Awaits the values of one subscription. Copies share it.
    public struct Iterator: AsyncIteratorProtocol {
        public typealias Element = P.Output
        public typealias Failure = any Error

        @usableFromInline let consumer: AwaitedConsumer<P.Output, P.Failure>

        @inlinable
        init(_ publisher: P) {
            consumer = AwaitedConsumer(publisher)
        }

        /// The next value, or nil if there is none any more or the task was cancelled.
        ///
        /// Several tasks may wait at once; they are served in the order in which they began to.
        ///
        /// - Throws: The publisher's failure, once.
        @inlinable
        public mutating func next() async throws(P.Failure) -> P.Output? {
            try await next(isolation: #isolation)
        }

        /// The same as ``next()``, without leaving `actor`.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(P.Failure) -> P.Output? {
            try await consumer.next(isolation: actor)
        }
    }
}

extension AsyncThrowingPublisher: Sendable where P: Sendable {}

@available(*, unavailable)
extension AsyncThrowingPublisher.Iterator: Sendable {}
