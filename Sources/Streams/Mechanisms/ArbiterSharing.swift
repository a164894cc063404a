/// A subscriber that shares its arbiter with a nested operator, so that the stack does not grow with the depth of the
/// nesting (rule 5).
///
/// A function that loads page after page nests such operators, each behind an ``AnyPublisher``:
/// `load(page).append(Deferred { pages(after: page) })`. Each inner `append` receives a ``SuccessiveSubscriber`` of the
/// outer one. With an arbiter of its own, every value, request and completion would pass through all of them. Instead
/// it takes the outer arbiter, and its upstreams deliver to the outer downstream. The subscriber that it has received
/// stays unused.
@usableFromInline
protocol ArbiterSharing {
    /// Hands the arbiter over to the operator that this subscriber was passed to.
    ///
    /// - Parameter type: The erased type of the downstream. A cast to a protocol with associated types would be slow.
    /// - Returns: The arbiter, and the subscriber to deliver to. Nil if this subscriber has been used already.
    func shareArbiter<Erased: Subscriber>(as type: Erased.Type) -> SharedArbiter<Erased>?
}

/// The arbiter of an outer operator, and the subscriber that it delivers to.
@usableFromInline
typealias SharedArbiter<Downstream: Subscriber> = (arbiter: SubscriptionArbiter, downstream: Downstream)

extension SuccessiveSubscriber: ArbiterSharing {
    @usableFromInline
    func shareArbiter<Erased: Subscriber>(as type: Erased.Type) -> SharedArbiter<Erased>? {
        // A subscriber that was used already gets a second subscription, which it cancels.
        guard !link.isActive, !link.isTerminal, let erased = erase(downstream) as? Erased else { return nil }
        link.cancel()
        return (arbiter, erased)
    }
}

extension Subscriber {
    /// Takes the arbiter of the operator that this subscriber belongs to, also if an ``AnySubscriber`` hides it.
    ///
    /// - Returns: Nil if this is no subscriber of such an operator, or has been used already.
    @inlinable
    @inline(__always)
    func takeSharedArbiter() -> SharedArbiter<AnySubscriber<Input, Failure>>? {
        // Casts to concrete types cost nothing in specialised code.
        if let erased = self as? AnySubscriber<Input, Failure> { return erased.takeArbiterOfBase() }
        // The arbiter was shared before, so its downstream is erased.
        return (self as? SuccessiveSubscriber<AnySubscriber<Input, Failure>>)?
            .shareArbiter(as: AnySubscriber<Input, Failure>.self)
    }
}

extension AnySubscriber {
    @usableFromInline
    func takeArbiterOfBase() -> SharedArbiter<AnySubscriber>? {
        (box.base as? any ArbiterSharing)?.shareArbiter(as: AnySubscriber.self)
    }
}
