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

        @usableFromInline let consumer: AwaitingIterator<P.Output, Never>

        @inlinable
        init(_ publisher: P) {
            consumer = AwaitingIterator(publisher)
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

        @usableFromInline let consumer: AwaitingIterator<P.Output, P.Failure>

        @inlinable
        init(_ publisher: P) {
            consumer = AwaitingIterator(publisher)
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

extension Publisher where Failure == Never {
    /// The values of this publisher, to be awaited one after another, with a say in how many are kept until then.
    ///
    /// ```swift
    /// for await position in positions.values(buffering: .bufferingNewest(1)) { await draw(position) }
    /// ```
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   values(buffering: .bufferingNewest(1))       next() is called after 1 and after 3
    ///   1        3     4
    /// ```
    ///
    /// Without a policy, ``values-2iy2q`` loses nothing and asks a source that waits for demand one by one.
    ///
    /// **Demand.** The publisher is asked for everything at once. What comes before it is awaited is kept as the policy
    /// says.
    ///
    /// **Completion** comes after the values that are kept.
    ///
    /// **Cancellation** of the awaiting task, or letting go of the iterator, cancels the subscription.
    ///
    /// **Threads.** Values may arrive on any thread; the awaiting task goes on wherever it belongs.
    ///
    /// - Parameter policy: How many values are kept, and which.
    public func values(
        buffering policy: AsyncStream<Output>.Continuation.BufferingPolicy
    ) -> AsyncPublisher<Operators.Backpressure<Self>> {
        AsyncPublisher(onBackpressureBuffer(policy))
    }
}

extension Publisher {
    /// The values of this publisher, to be awaited one after another, and its failure, thrown, with a say in how many
    /// values are kept until then.
    ///
    /// ```
    /// ──1──2──3──✕ E
    ///   values(buffering: .bufferingOldest(1))       next() is called after 1 and after 3
    ///   1        2     throws E
    /// ```
    ///
    /// Demand, completion, cancellation and threads are those of the form for publishers that cannot fail.
    ///
    /// - Parameter policy: How many values are kept, and which.
    public func values(
        buffering policy: AsyncStream<Output>.Continuation.BufferingPolicy
    ) -> AsyncThrowingPublisher<Operators.Backpressure<Self>> {
        AsyncThrowingPublisher(onBackpressureBuffer(policy))
    }

    private func onBackpressureBuffer(
        _ policy: AsyncStream<Output>.Continuation.BufferingPolicy
    ) -> Operators.Backpressure<Self> {
        switch policy {
        case .bufferingOldest(let limit): onBackpressureBuffer(limit: limit, whenFull: .dropNewest)
        case .bufferingNewest(let limit): onBackpressureBuffer(limit: limit, whenFull: .dropOldest)
        case .unbounded: onBackpressureBuffer()
        @unknown default: onBackpressureBuffer()
        }
    }
}
