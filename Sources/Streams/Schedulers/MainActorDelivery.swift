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

extension Publisher where Output: Sendable {
    /// Calls closures with every value and with the completion on the main actor, wherever the publisher sends them.
    ///
    /// ```swift
    /// user.sinkOnMainActor { completion in
    ///     self.spinner.stop()
    /// } receiveValue: { user in
    ///     self.title = user.name      // state of the main actor
    /// }
    /// ```
    ///
    /// The closures may use what is isolated to the main actor, which is checked by the compiler and never traps. Calls
    /// come in the order of the values, never from inside this call.
    ///
    /// - Parameters:
    ///   - receiveCompletion: Called at the end, unless the subscription was cancelled.
    ///   - receiveValue: Called with each value.
    /// - Returns: Keep it: the subscription is cancelled when it is released. Cancelled on the main actor, nothing is
    ///   called any more.
    public func sinkOnMainActor(
        receiveCompletion: @escaping @MainActor (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping @MainActor (Output) -> Void
    ) -> AnyCancellable {
        receiveOnMainActor().sink { completion in
            MainActor.assumeIsolated { receiveCompletion(completion) }
        } receiveValue: { value in
            MainActor.assumeIsolated { receiveValue(value) }
        }
    }
}

extension Publisher where Output: Sendable, Failure == Never {
    /// Calls a closure with every value on the main actor, wherever the publisher sends it.
    ///
    /// See ``sinkOnMainActor(receiveCompletion:receiveValue:)``.
    ///
    /// - Returns: Keep it: the subscription is cancelled when it is released.
    public func sinkOnMainActor(receiveValue: @escaping @MainActor (Output) -> Void) -> AnyCancellable {
        sinkOnMainActor(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}
