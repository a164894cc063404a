/// The state of a buffering operator: the demand, values that wait for it, and the completion that follows.
@usableFromInline
struct BufferState<Downstream: Subscriber>: ~Copyable, DrainState {
    @usableFromInline var recipient: Recipient<Downstream>
    @usableFromInline var demand = Subscribers.Demand.none
    @usableFromInline var requests = LinkRequests()
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

    /// Takes one value off the demand.
    ///
    /// - Returns: Whether there was demand.
    @inlinable
    mutating func takeDemand() -> Bool {
        if demand == .none { return false }
        demand -= .max(1)
        return true
    }

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
