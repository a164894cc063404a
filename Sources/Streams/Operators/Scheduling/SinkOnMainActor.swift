extension Publisher where Output: Sendable {
    /// Calls closures with each value and with the completion on the main actor.
    ///
    /// ```swift
    /// user.sinkOnMainActor { completion in
    ///     self.spinner.stop()
    /// } receiveValue: { user in
    ///     self.title = user.name      // state of the main actor
    /// }
    /// ```
    ///
    /// The closures are isolated to the main actor, so they may use its state. They are called in the order of the values,
    /// never from inside this call. It is ``receiveOnMainActor()`` with a sink.
    ///
    /// - Parameters:
    ///   - receiveCompletion: A closure called with the completion, unless the subscription was cancelled.
    ///   - receiveValue: A closure called with each value.
    /// - Returns: The subscription, cancelled on release. After a cancellation on the main actor no closure is called.
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
    /// Calls a closure with each value on the main actor.
    ///
    /// See ``sinkOnMainActor(receiveCompletion:receiveValue:)``.
    ///
    /// - Returns: The subscription, which is cancelled when it is released.
    public func sinkOnMainActor(receiveValue: @escaping @MainActor (Output) -> Void) -> AnyCancellable {
        sinkOnMainActor(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}
