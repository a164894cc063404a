extension Publisher where Output: Sendable {
    /// Calls closures with each value and with the completion on an actor.
    ///
    /// ```swift
    /// readings.sink(on: store) { store, completion in
    ///     store.close()
    /// } receiveValue: { store, reading in
    ///     store.readings.append(reading)      // state of the actor
    /// }
    /// ```
    ///
    /// ```
    /// ──1──2──3──|        on any thread
    ///   sink(on: actor)
    /// ───1──2──3──|       on the actor
    /// ```
    ///
    /// The closures are isolated to the actor, so they may use its state. They are called in the order of the values, one
    /// after another also if they suspend, and never from inside this call.
    ///
    /// **Demand.** From a publisher that waits for demand, the next value is requested when the closure has returned. From a
    /// publisher that drops values without demand, such as a subject, all values are requested and buffered without limit,
    /// as by ``values-2iy2q``. Put ``onBackpressureLatest()`` or another such operator before it to limit that.
    ///
    /// **Cancellation.** The subscription is made by this call, and cancelled with the result, on the calling thread. It
    /// does not keep the actor alive: once that is released, the next signal cancels the subscription.
    ///
    /// **Threads.** The closures run on the actor's executor. See ``sinkOnMainActor(receiveCompletion:receiveValue:)`` for
    /// closures that the compiler knows to be on the main actor.
    ///
    /// - Parameters:
    ///   - actor: The actor.
    ///   - receiveCompletion: A closure called with the completion, unless the subscription was cancelled.
    ///   - receiveValue: A closure called with each value.
    /// - Returns: The subscription, cancelled on release. After a cancellation on the actor no closure is called.
    public func sink<A: Actor>(
        on actor: A,
        receiveCompletion: @escaping @Sendable (isolated A, Subscribers.Completion<Failure>) async -> Void,
        receiveValue: @escaping @Sendable (isolated A, Output) async -> Void
    ) -> AnyCancellable {
        let subscriber = AwaitingSubscriber<Output, Failure>()
        subscribe(subscriber)
        let task = Task { [weak actor] in
            // Released at the end, which cancels the subscription if the actor is gone.
            let iterator = AwaitingIterator(subscriber)
            var completion = Subscribers.Completion<Failure>.finished
            do throws(Failure) {
                while let value = try await iterator.next(isolation: nil) {
                    guard let actor else { return }
                    await call(receiveValue, with: value, on: actor)
                }
            } catch {
                completion = .failure(error)
            }
            if let actor { await call(receiveCompletion, with: completion, on: actor) }
        }
        return AnyCancellable {
            task.cancel()
            subscriber.cancel()
        }
    }
}

extension Publisher where Output: Sendable, Failure == Never {
    /// Calls a closure with each value on an actor.
    ///
    /// See ``sink(on:receiveCompletion:receiveValue:)``.
    ///
    /// - Parameters:
    ///   - actor: The actor, which the subscription does not keep alive.
    ///   - receiveValue: A closure called with each value.
    /// - Returns: The subscription, which is cancelled when it is released.
    public func sink<A: Actor>(
        on actor: A, receiveValue: @escaping @Sendable (isolated A, Output) async -> Void
    ) -> AnyCancellable {
        sink(on: actor, receiveCompletion: { _, _ in }, receiveValue: receiveValue)
    }
}

/// Calls a closure on an actor, unless the task was cancelled before the actor was free.
private func call<A: Actor, Value: Sendable>(
    _ closure: @Sendable (isolated A, Value) async -> Void, with value: Value, on actor: isolated A
) async {
    if !Task.isCancelled { await closure(actor, value) }
}
