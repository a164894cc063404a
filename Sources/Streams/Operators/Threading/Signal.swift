/// A value or a completion, on its way to another thread.
@usableFromInline
enum Signal<Input, Failure: Error> {
    case value(Input)
    case completion(Subscribers.Completion<Failure>)

    /// Delivers this, and passes the demand returned for a value on.
    @inlinable
    consuming func deliver<Downstream: Subscriber>(to downstream: Downstream, demandGoesTo link: UpstreamLink)
    where Downstream.Input == Input, Downstream.Failure == Failure {
        switch self {
        case .value(let value):
            let additional = downstream.receive(value)
            if additional > .none { link.request(additional) }
        case .completion(let completion):
            downstream.receive(completion: completion)
        }
    }
}
