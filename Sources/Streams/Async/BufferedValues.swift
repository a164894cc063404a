extension Publisher {
    /// Subscribes at once, and returns the values as an asynchronous sequence with a bounded buffer.
    ///
    /// ```swift
    /// let events = player.events.bufferedValues(size: 100, whenFull: .dropOldest)
    /// player.start()                                    // its first events are in the buffer
    /// Task { for await event in events { await log.append(event) } }
    /// ```
    ///
    /// ```
    /// ──1──2──3──4──|
    ///   bufferedValues(size: 2, whenFull: .dropOldest)    next() is called after 3 and after 4
    ///   ───────2──3──4
    /// ```
    ///
    /// ``values-2iy2q`` subscribes when the iteration begins: if that is in another task, what a subject has sent until then
    /// is lost. This sequence has one subscription, made by this call. Each value goes to one of its iterators.
    ///
    /// **Demand.** As many values are requested as the buffer holds, one more for each value taken out of it, and one for
    /// each task that waits. The strategy is for the excess values of a publisher that sends at its own pace, such as a
    /// subject.
    ///
    /// **Completion.** `next()` returns nil after the last value. A failure follows the buffered values and is thrown
    /// once, with its type.
    ///
    /// **Cancellation.** Cancelling an awaiting task, or releasing the sequence and its iterators, cancels the subscription
    /// and drops the buffered values. `next()` then returns nil, or throws if the type of failure is
    /// ``CancellationRepresentable``.
    ///
    /// **Threads.** The subscription is made on the calling thread. Values may arrive on any thread, and a source that emits
    /// when it is asked to fills the buffer during this call. The awaiting task resumes on its own executor.
    ///
    /// - Parameters:
    ///   - size: The largest number of buffered values.
    ///   - whenFull: The strategy for a value for which there is no room. The error of
    ///     ``Publishers/BufferingStrategy/customError(_:)`` is thrown after the buffered values.
    /// - Returns: The values, for a task of your choice.
    @inlinable
    public func bufferedValues(
        size: Int, whenFull: Publishers.BufferingStrategy<Failure>
    ) -> AsyncBufferedValues<Output, Failure> {
        AsyncBufferedValues(self, size: size, whenFull: whenFull)
    }
}

/// The values of one subscription as an asynchronous sequence with a bounded buffer.
///
/// See ``Publisher/bufferedValues(size:whenFull:)``. Iterate it with `for await`, `for try await` or `next()`. As for
/// ``AsyncTypedThrowingPublisher``, Swift 6.3 cannot compile a call of a `rethrows` function of it, such as `contains(_:)`, if
/// the surrounding `do` statement or function throws the type of the failure.
public struct AsyncBufferedValues<Element, Failure: Error>: AsyncSequence {
    @usableFromInline let consumer: AwaitingIterator<Element, Failure>

    @inlinable
    init<P: Publisher>(
        _ publisher: P, size: Int, whenFull: Publishers.BufferingStrategy<Failure>
    ) where P.Output == Element, P.Failure == Failure {
        consumer = AwaitingIterator(publisher, subscriber: AwaitingSubscriber(bufferSize: size, whenFull: whenFull))
    }

    /// Returns an iterator over the values that no iterator has returned yet.
    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(consumer)
    }

    /// An iterator over the values of the sequence, which all its iterators share.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline let consumer: AwaitingIterator<Element, Failure>

        @inlinable
        init(_ consumer: AwaitingIterator<Element, Failure>) {
            self.consumer = consumer
        }

        /// Returns the next value, or nil if the stream or the task has ended.
        ///
        /// Tasks that wait at the same time are served in order.
        ///
        /// - Throws: The publisher's failure, or the error of a cancellation, once.
        @inlinable
        public mutating func next() async throws(Failure) -> Element? {
            try await next(isolation: #isolation)
        }

        /// Returns the next value without leaving `actor`. See ``next()``.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
            try await consumer.next(isolation: actor)
        }
    }
}

// Safe because a lock guards the subscriber behind the iterator, and values may be sent to another task.
extension AsyncBufferedValues: @unchecked Sendable where Element: Sendable {}

@available(*, unavailable)
extension AsyncBufferedValues.Iterator: Sendable {}
