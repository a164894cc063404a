/// The receiving half of the operators that make one value out of many.
///
/// The upstream is asked for everything at once. The result is delivered when it is certain and the subscriber has
/// asked for it, and so is the completion of a stream that has none; a failure does not wait.
@usableFromInline
struct ReducingSubscriber<Reducer: Reduction, Failure: Error, Downstream: Subscriber>: LinkedSubscriber
where Downstream.Input == Reducer.Output {
    @usableFromInline typealias Input = Reducer.Input

    @usableFromInline let downstream: Downstream
    @usableFromInline let reducer: Reducer
    @usableFromInline let outcome: OneShotSubscription<Downstream>
    @usableFromInline let link: UpstreamLink
    @usableFromInline let ending: Ending<Failure, Reducer.Thrown, Downstream.Failure>

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - reducer: Belongs to this subscription alone.
    ///   - portrait: What mirrors show.
    @inlinable
    init(
        _ name: OperatorName,
        downstream: Downstream,
        reducer: Reducer,
        ending: Ending<Failure, Reducer.Thrown, Downstream.Failure>,
        portrait: LinkPortrait = .reduction
    ) {
        self.downstream = downstream
        self.reducer = reducer
        self.ending = ending
        outcome = OneShotSubscription(name, downstream: downstream)
        link = .keeping(foreignObject(downstream), name, portrait: portrait)
    }

    @inlinable
    func receive(subscription: any Subscription) {
        guard link.attach(subscription) else { return }
        downstream.receive(subscription: OutcomeSubscription(outcome: outcome, link: link))
        // Not only what the subscriber asks for: it takes many values to make one.
        if link.isActive { link.request(.unlimited) }
    }

    @inlinable
    func receive(_ input: Reducer.Input) -> Subscribers.Demand {
        guard link.isActive else { return .none }
        do {
            if let result = try reducer.take(input), link.cancelUpstream() { outcome.resolve(.value(result)) }
        } catch {
            if link.cancelUpstream() { outcome.resolve(.end(.failure(ending.failure(error)))) }
        }
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        guard link.finish() else { return }
        switch completion {
        case .finished: outcome.resolve(reducer.conclude().map { .value($0) } ?? .nothing)
        case .failure: outcome.resolve(.end(ending.completion(completion)))
        }
    }
}
