/// A subscriber until it is released.
///
/// A copyable type would be copied out of its variable for each value, which counts references. A value is delivered
/// without a copy, because the thread that delivers is the one that releases: the draining thread of a ``SerialDrain``.
@usableFromInline
enum Recipient<Downstream: Subscriber>: ~Copyable {
    case open(Downstream)
    case released

    @inlinable
    borrowing func receive(subscription: any Subscription) {
        switch self {
        case .open(let downstream): downstream.receive(subscription: subscription)
        case .released: break
        }
    }

    @inlinable
    borrowing func receive(_ value: Downstream.Input) -> Subscribers.Demand {
        switch self {
        case .open(let downstream): downstream.receive(value)
        case .released: .none
        }
    }

    /// Releases the subscriber.
    ///
    /// - Returns: The subscriber, nil if it had been released before.
    @inlinable
    mutating func release() -> Downstream? {
        switch exchange(&self, with: .released) {
        case .open(let downstream): downstream
        case .released: nil
        }
    }
}
