import Dispatch

extension Publisher {
    /// Delivers values and the completion on the main actor.
    ///
    /// ```
    /// ──1──2──3──|        on any thread
    ///   receiveOnMainActor()
    /// ───1──2──3──|       on the main actor
    /// ```
    ///
    /// It is ``receive(on:options:)`` with the main queue: demand, completion and cancellation behave the same. The
    /// compiler does not treat closures further downstream as isolated to the main actor;
    /// ``sinkOnMainActor(receiveCompletion:receiveValue:)`` takes closures that are.
    @inlinable
    public func receiveOnMainActor() -> Publishers.ReceiveOn<Self, DispatchQueue> {
        receive(on: .main)
    }
}
