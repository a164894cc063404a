/// Who is told of a request's events, whatever is made of its response.
protocol RequestDownstream {
    /// Delivers an event.
    func receive(_ event: RequestEvent<Data>) throws(UndecodableResponse) -> Subscribers.Demand
    /// Delivers the end.
    func receive(completion: Subscribers.Completion<HTTPError>)
}

/// A subscriber, and how it is given a response.
struct DecodingDownstream<Value, Downstream: Subscriber>: RequestDownstream
where Downstream.Input == RequestEvent<Value>, Downstream.Failure == HTTPError {
    let subscriber: Downstream
    let decode: @Sendable (HTTPResponse<Data>) throws -> Value

    func receive(_ event: RequestEvent<Data>) throws(UndecodableResponse) -> Subscribers.Demand {
        subscriber.receive(try event.decoded(by: decode))
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        subscriber.receive(completion: completion)
    }
}
