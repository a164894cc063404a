/// Who is told of a request's events, whatever is made of its response.
protocol RequestDownstream {
    /// What is worth telling. The response and the end always are.
    var interest: EventInterest { get }
    /// Delivers an event.
    func receive(_ event: RequestEvent<Data>) throws(UndecodableResponse) -> Subscribers.Demand
    /// Delivers the end.
    func receive(completion: Subscribers.Completion<HTTPError>)
}

/// A subscription to a request.
protocol RequestSource: AnyObject, Subscription, Sendable {
    /// What the request fails with where its response, which was the last thing that came, is not what was expected.
    func error(for undecodable: UndecodableResponse) -> HTTPError
}

extension RequestPlan {
    /// A subscription to what is planned, with others where it is shared.
    func subscription(_ downstream: any RequestDownstream, delivery: EventDelivery) -> any RequestSource {
        guard let sharing else { return RequestSubscription(self, delivery: delivery, downstream: downstream) }
        return SharedSubscription(self, sharing, delivery: delivery, downstream: downstream)
    }
}

/// A subscriber, and how it is given a response.
struct DecodingDownstream<Value, Downstream: Subscriber>: RequestDownstream
where Downstream.Input == RequestEvent<Value>, Downstream.Failure == HTTPError {
    let subscriber: Downstream
    let decode: @Sendable (HTTPResponse<Data>) throws -> Value

    var interest: EventInterest { .everything }

    func receive(_ event: RequestEvent<Data>) throws(UndecodableResponse) -> Subscribers.Demand {
        subscriber.receive(try event.decoded(by: decode))
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        subscriber.receive(completion: completion)
    }
}
