/// The receiving half of the operators that make one value out of many.
///
/// The upstream is asked for everything at once. The result is delivered when it is certain and the subscriber has asked for
/// it, and so is the completion of a stream that has none; a failure does not wait.
@usableFromInline
struct ReducingSubscriber<Reducer: Reduction, Failure: Error, Downstream: Subscriber>: LinkedSubscriber
where Downstream.Input == Reducer.Output {
    @usableFromInline typealias Input = Reducer.Input

    /// Why the stream ends.
    @usableFromInline
    enum End {
        case completed(Subscribers.Completion<Failure>)
        case threw(Reducer.Thrown)
    }

    @usableFromInline let downstream: Downstream
    @usableFromInline let reducer: Reducer
    @usableFromInline let outcome: OneShotSubscription<Downstream>
    @usableFromInline let link: UpstreamLink

    /// What the end is for the subscriber.
    @usableFromInline let completion: @Sendable (End) -> Subscribers.Completion<Downstream.Failure>

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - reducer: Belongs to this subscription alone.
    @inlinable
    init(_ name: StaticString, downstream: Downstream, reducer: Reducer)
    where Reducer.Thrown == Never, Downstream.Failure == Failure {
        self.init(name, downstream: downstream, reducer: reducer) { end in
            switch end {
            case .completed(let completion): completion
            case .threw(let never): switch never {}
            }
        }
    }

    /// The same for operators that can throw.
    @inlinable
    init(_ name: StaticString, downstream: Downstream, reducer: Reducer)
    where Reducer.Thrown == any Error, Downstream.Failure == any Error {
        self.init(name, downstream: downstream, reducer: reducer) { end in
            switch end {
            case .completed(let completion): completion.erasingFailure()
            case .threw(let error): .failure(error)
            }
        }
    }

    @inlinable
    init(
        _ name: StaticString,
        downstream: Downstream,
        reducer: Reducer,
        completion: @escaping @Sendable (End) -> Subscribers.Completion<Downstream.Failure>
    ) {
        self.downstream = downstream
        self.reducer = reducer
        self.completion = completion
        outcome = OneShotSubscription(name, downstream: downstream)
        link = UpstreamLink(name)
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
            if link.cancelUpstream() { outcome.resolve(.end(completion(.threw(error)))) }
        }
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        guard link.finish() else { return }
        switch completion {
        case .finished: outcome.resolve(reducer.conclude().map { .value($0) } ?? .nothing)
        case .failure: outcome.resolve(.end(self.completion(.completed(completion))))
        }
    }
}

/// The subscription handed downstream by operators that deliver one value: demand goes to the value that is kept, cancellation
/// to the upstream as well.
@usableFromInline
final class OutcomeSubscription: Subscription, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    @usableFromInline let outcome: OneShotControl
    @usableFromInline let link: UpstreamLink

    @inlinable
    init(outcome: OneShotControl, link: UpstreamLink) {
        self.outcome = outcome
        self.link = link
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        outcome.request(demand)
    }

    @usableFromInline
    func cancel() {
        outcome.cancel()
        link.cancel()
    }

    @usableFromInline var description: String { link.description }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    @usableFromInline var playgroundDescription: Any { description }
}
