/// The state of a buffering operator's draining thread: values that wait for demand, and the completion that follows.
@usableFromInline
struct BufferState<Downstream: Subscriber>: ~Copyable {
    @usableFromInline var recipient: Recipient<Downstream>
    @usableFromInline var buffer: BoundedBuffer<Downstream.Input, Downstream.Failure>
    @usableFromInline var completion: Subscribers.Completion<Downstream.Failure>?

    /// Whether the subscriber of `buffer` has received its subscription.
    @usableFromInline var isStarted = false

    @inlinable
    init(downstream: Downstream, limit: Int, whenFull: Publishers.BufferingStrategy<Downstream.Failure>) {
        recipient = .open(downstream)
        buffer = BoundedBuffer(limit: limit, whenFull: whenFull)
    }

    /// Whether the next value can be delivered without buffering it.
    @inlinable var passesValues: Bool { isStarted && buffer.isEmpty && completion == nil && buffer.limit > 0 }

    /// Returns the completion if no value is delivered before it.
    ///
    /// - Parameter failureOvertakes: Whether a failure is delivered before the values.
    @inlinable
    func dueCompletion(failureOvertakes: Bool = false) -> Subscribers.Completion<Downstream.Failure>? {
        if failureOvertakes, case .failure? = completion { return completion }
        return buffer.isEmpty ? completion : nil
    }

    /// Releases the values and the subscriber.
    ///
    /// - Returns: The subscriber, nil after the end.
    @inlinable
    mutating func release() -> Downstream? {
        buffer.close()
        return recipient.release()
    }
}
