extension Publisher where Failure == Never {
    /// The values of this publisher, to be awaited one after another.
    ///
    /// ```swift
    /// for await value in publisher.values { print(value) }
    /// ```
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
    /// **Completion.** `next()` returns nil after the last value, and from then on.
    ///
    /// **Cancellation.** Cancelling the task that awaits, or letting go of the iterator, cancels the subscription.
    /// After that `next()` returns nil, as with Combine, and values that were kept are dropped.
    ///
    /// **Threads.** Values may arrive on any thread; the awaiting task goes on wherever it belongs.
    @inlinable
    public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

/// The values of a publisher that cannot fail, as an asynchronous sequence. ``Publisher/values-2iy2q`` makes it.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
    public typealias Element = P.Output
    public typealias Failure = Never

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
        public typealias Failure = Never

        @usableFromInline let consumer: AwaitedConsumer<P.Output, Never>

        @inlinable
        init(_ publisher: P) {
            consumer = AwaitedConsumer(publisher)
        }

        /// The next value, or nil if there is none any more or the task was cancelled.
        ///
        /// Several tasks may wait at once; they are served in the order in which they began to.
        @inlinable
        public mutating func next() async -> P.Output? {
            await next(isolation: #isolation)
        }

        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async -> P.Output? {
            await consumer.next(isolation: actor)
        }
    }
}

extension AsyncPublisher: Sendable where P: Sendable {}

@available(*, unavailable)
extension AsyncPublisher.Iterator: Sendable {}
