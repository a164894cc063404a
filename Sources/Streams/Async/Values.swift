extension Publisher where Failure == Never {
    /// The values of this publisher as an asynchronous sequence.
    ///
    /// ```swift
    /// for await value in publisher.values { print(value) }
    /// ```
    ///
    /// Each iteration is a subscription of its own, made with the iterator.
    ///
    /// **Demand.** A publisher that waits for demand is asked for one value for each call of `next()`. A publisher that drops
    /// values without demand, such as a subject, is asked for all of them, which are buffered without limit: nothing is lost
    /// (rule 8). So is one that `prepend`, `catch`, `flatMap` or another operator subscribes to later. Operators that limit or raise
    /// the demand, such as `flatMap(maxPublishers:)` and `share()`, still do.
    ///
    /// **Completion.** `next()` returns nil after the last value.
    ///
    /// **Cancellation.** Cancelling the awaiting task or releasing the iterator cancels the subscription and drops the buffered
    /// values. After that `next()` returns nil.
    ///
    /// **Threads.** Values may arrive on any thread. The awaiting task resumes on its own executor.
    @inlinable
    public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

/// The values of a publisher that cannot fail, as an asynchronous sequence. See ``Publisher/values-2iy2q``.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
    public typealias Element = P.Output
    public typealias Failure = Never

    @usableFromInline let publisher: P

    /// Creates a sequence of the values of a publisher. Each iterator subscribes.
    @inlinable
    public init(_ publisher: P) {
        self.publisher = publisher
    }

    /// Subscribes to the publisher.
    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(publisher)
    }

    /// An iterator over the values of one subscription. Copies share it.
    public struct Iterator: AsyncIteratorProtocol {
        public typealias Element = P.Output
        public typealias Failure = Never

        @usableFromInline let consumer: AwaitingIterator<P.Output, Never>

        @inlinable
        init(_ publisher: P) {
            consumer = AwaitingIterator(publisher)
        }

        /// Returns the next value, or nil if the stream or the task has ended.
        ///
        /// Tasks that wait at the same time are served in order.
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
    /// The values of this publisher as an asynchronous sequence, which throws its failure.
    ///
    /// ```swift
    /// for try await value in publisher.values { print(value) }
    /// ```
    ///
    /// As in Combine, a loop throws `any Error`; `next()` throws the publisher's type of failure. Each iteration is a subscription of
    /// its own, made with the iterator.
    ///
    /// **Demand.** A publisher that waits for demand is asked for one value for each call of `next()`. A publisher that drops
    /// values without demand, such as a subject, is asked for all of them, which are buffered without limit: nothing is lost
    /// (rule 8). So is one that `prepend`, `catch`, `flatMap` or another operator subscribes to later. Operators that limit or raise
    /// the demand, such as `flatMap(maxPublishers:)` and `share()`, still do.
    ///
    /// **Completion.** After the last value `next()` throws the failure once, if there is one, and returns nil.
    ///
    /// **Cancellation.** Cancelling the awaiting task or releasing the iterator cancels the subscription and drops the buffered
    /// values. After that `next()` returns nil and throws nothing.
    ///
    /// **Threads.** Values may arrive on any thread. The awaiting task resumes on its own executor.
    @inlinable
    public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }
}

/// The values of a publisher that may fail, as an asynchronous sequence. See ``Publisher/values-156lz``.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
    public typealias Element = P.Output
    /// As in Combine. With the publisher's type the compiler (6.3) crashes on a `rethrows` function around `next()`.
    public typealias Failure = any Error

    @usableFromInline let publisher: P

    /// Creates a sequence of the values of a publisher. Each iterator subscribes.
    @inlinable
    public init(_ publisher: P) {
        self.publisher = publisher
    }

    /// Subscribes to the publisher.
    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(publisher)
    }

    /// An iterator over the values of one subscription. Copies share it.
    public struct Iterator: AsyncIteratorProtocol {
        public typealias Element = P.Output
        public typealias Failure = any Error

        @usableFromInline let consumer: AwaitingIterator<P.Output, P.Failure>

        @inlinable
        init(_ publisher: P) {
            consumer = AwaitingIterator(publisher)
        }

        /// Returns the next value, or nil if the stream or the task has ended.
        ///
        /// Tasks that wait at the same time are served in order.
        ///
        /// - Throws: The publisher's failure, once.
        @inlinable
        public mutating func next() async throws(P.Failure) -> P.Output? {
            try await next(isolation: #isolation)
        }

        /// Returns the next value without leaving `actor`. See ``next()``.
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
    /// The values of this publisher as an asynchronous sequence with a bounded buffer.
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
    /// **Demand.** The publisher is asked for all values at once. The policy decides which of them are buffered.
    ///
    /// **Completion** follows the buffered values.
    ///
    /// **Cancellation** of the awaiting task, or releasing the iterator, cancels the subscription.
    ///
    /// **Threads.** Values may arrive on any thread. The awaiting task resumes on its own executor.
    ///
    /// - Parameter policy: The number of buffered values and the choice between them.
    public func values(
        buffering policy: AsyncStream<Output>.Continuation.BufferingPolicy
    ) -> AsyncPublisher<Operators.Backpressure<Self>> {
        AsyncPublisher(onBackpressureBuffer(policy))
    }
}

extension Publisher {
    /// The values of this publisher as an asynchronous sequence with a bounded buffer, which throws its failure.
    ///
    /// ```
    /// ──1──2──3──✕ E
    ///   values(buffering: .bufferingOldest(1))       next() is called after 1 and after 3
    ///   1        2     throws E
    /// ```
    ///
    /// Demand, completion, cancellation and threads are those of the form for publishers that cannot fail.
    ///
    /// - Parameter policy: The number of buffered values and the choice between them.
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
