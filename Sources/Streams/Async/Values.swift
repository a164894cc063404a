extension Publisher where Failure == Never {
    /// The values of this publisher as an asynchronous sequence.
    ///
    /// ```swift
    /// for await value in publisher.values { print(value) }
    /// ```
    ///
    /// Each iteration is a subscription of its own, made with the iterator, in the iterating task. What a subject sends before
    /// that is lost. ``bufferedValues(size:whenFull:)`` subscribes at once, for an iteration that begins later.
    ///
    /// **Demand.** From a publisher that waits for demand, each call of `next()` requests one value. From a publisher
    /// that drops values without demand, such as a subject, all values are requested and buffered without limit, so
    /// nothing is lost (rule 8). This includes publishers that `prepend`, `catch`, `flatMap` or another operator
    /// subscribes to later. An operator of your own takes part by ``Subscriber/needsEveryValue``. What
    /// `flatMap(maxPublishers:)` takes its publishers from still drops those beyond the limit.
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
    /// As in Combine, a loop throws `any Error`; `next()` throws the publisher's type of failure. Otherwise it is like
    /// ``Publisher/values-2iy2q``, with the same demand, cancellation and threads.
    ///
    /// **Completion.** After the last value `next()` throws the failure once, if there is one, and returns nil. A
    /// cancellation throws nothing, unless the type of failure is ``CancellationRepresentable``.
    @inlinable
    public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }
}

extension Publisher where Failure: CancellationRepresentable {
    /// The values of this publisher as an asynchronous sequence, which throws its failure, with its type, and a
    /// cancellation.
    ///
    /// ```swift
    /// do throws(HTTPError) {
    ///     for try await event in client.events(for: request).values { print(event) }
    /// } catch where error.isCancellation { print("cancelled") }
    /// ```
    ///
    /// Otherwise it is like ``Publisher/values-2iy2q``, with the same demand and threads.
    ///
    /// **Completion.** After the last value `next()` throws the failure once, if there is one, and returns nil.
    ///
    /// **Cancellation.** Cancelling the awaiting task cancels the subscription and drops the buffered values. `next()` then
    /// throws ``CancellationRepresentable/cancellation`` once, unless the stream has ended and all its values have been
    /// delivered. Releasing the iterator cancels the subscription.
    @inlinable
    public var values: AsyncTypedThrowingPublisher<Self> { AsyncTypedThrowingPublisher(self, cancellation: nil) }
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

/// The values of a publisher as an asynchronous sequence that throws the publisher's type of failure, also for a
/// cancellation.
///
/// It is the type of `values` of a publisher whose failure is ``CancellationRepresentable``.
///
/// Iterate it with `for try await` or `next()`. The compiler of Swift 6.3 crashes on a call of a `rethrows` function of a
/// sequence, such as `contains(_:)` and `reduce(_:_:)`, if the surrounding `do` statement or function throws the type of the
/// failure. Use the operator of the publisher before `values` instead, or `do throws(any Error)`.
public struct AsyncTypedThrowingPublisher<P: Publisher>: AsyncSequence where P.Failure: CancellationRepresentable {
    public typealias Element = P.Output
    public typealias Failure = P.Failure

    @usableFromInline let publisher: P
    @usableFromInline let cancellation: P.Failure?

    /// Creates a sequence of the values of a publisher. Each iterator subscribes.
    ///
    /// - Parameters:
    ///   - publisher: The publisher.
    ///   - cancellation: The error that a cancelled task receives, nil for ``CancellationRepresentable/cancellation``.
    @inlinable
    public init(_ publisher: P, cancellation: P.Failure? = nil) {
        self.publisher = publisher
        self.cancellation = cancellation
    }

    /// Subscribes to the publisher.
    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(publisher, cancellation: cancellation)
    }

    /// An iterator over the values of one subscription. Copies share it.
    public struct Iterator: AsyncIteratorProtocol {
        public typealias Element = P.Output
        public typealias Failure = P.Failure

        @usableFromInline let consumer: AwaitingIterator<P.Output, P.Failure>

        @inlinable
        init(_ publisher: P, cancellation: P.Failure?) {
            consumer = AwaitingIterator(publisher, subscriber: AwaitingSubscriber(cancellation: cancellation))
        }

        /// Returns the next value, or nil if the stream has ended.
        ///
        /// Tasks that wait at the same time are served in order.
        ///
        /// - Throws: The publisher's failure, or the error of a cancellation, once.
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

extension AsyncTypedThrowingPublisher: Sendable where P: Sendable {}

@available(*, unavailable)
extension AsyncTypedThrowingPublisher.Iterator: Sendable {}

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
    /// **Demand.** All values are requested at once. The policy decides which of them are buffered.
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

    fileprivate func onBackpressureBuffer(
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

extension Publisher where Failure: CancellationRepresentable {
    /// The values of this publisher as an asynchronous sequence with a bounded buffer, which throws its failure, with its
    /// type, and a cancellation.
    ///
    /// ```
    /// ──1──2──3──✕ E
    ///   values(buffering: .bufferingOldest(1))       next() is called after 1 and after 3
    ///   1        2     throws E
    /// ```
    ///
    /// Demand, completion and threads are those of the form for publishers that cannot fail. A cancellation of the
    /// awaiting task throws ``CancellationRepresentable/cancellation``.
    ///
    /// - Parameter policy: The number of buffered values and the choice between them.
    public func values(
        buffering policy: AsyncStream<Output>.Continuation.BufferingPolicy
    ) -> AsyncTypedThrowingPublisher<Operators.Backpressure<Self>> {
        AsyncTypedThrowingPublisher(onBackpressureBuffer(policy))
    }
}
