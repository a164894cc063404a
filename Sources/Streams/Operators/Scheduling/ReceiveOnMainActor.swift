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
    /// It is ``receive(on:options:)`` with the main queue, whose demand, completion and cancellation it has. Closures
    /// further down are not isolated to the main actor for the compiler;
    /// ``sinkOnMainActor(receiveCompletion:receiveValue:)`` takes such that are.
    @inlinable
    public func receiveOnMainActor() -> Publishers.ReceiveOn<Self, DispatchQueue> {
        receive(on: .main)
    }
}
