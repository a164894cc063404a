/// A receiver of a request's events, with the response undecoded.
protocol EventSink {
    /// The events that the sink uses. The response and the completion are always delivered.
    var filter: EventFilter { get }
    /// Calls ``RequestHandle/deliver()`` of a subscription on the thread on which the sink receives its events. The
    /// calling thread may be the transport's: a sink that runs a subscriber's code uses another.
    func scheduleDelivery(of subscription: any RequestHandle)
    /// Returns whether a request is to be sent. Called before each exchange of a request that may be shared, outside of
    /// locks. If not, another exchange serves its subscribers.
    func admits(_ request: TransportRequest) -> Bool
    /// Delivers an event.
    func receive(_ event: RequestEvent<Data>) throws(UndecodableResponse) -> Subscribers.Demand
    /// Delivers the completion.
    func receive(completion: Subscribers.Completion<HTTPError>)
}

extension EventSink {
    func admits(_ request: TransportRequest) -> Bool { true }
}

/// A sink that decodes the response for a subscriber. The subscriber may block: it is called on a thread of the
/// system's.
struct DecodingSink<Value, Downstream: Subscriber>: EventSink
where Downstream.Input == RequestEvent<Value>, Downstream.Failure == HTTPError {
    let subscriber: Downstream
    let plan: RequestPlan
    let decode: @Sendable (HTTPResponse<Data>) throws -> Value

    var filter: EventFilter { .all }

    func scheduleDelivery(of subscription: any RequestHandle) {
        plan.clock.runConcurrently { subscription.deliver() }
    }

    func receive(_ event: RequestEvent<Data>) throws(UndecodableResponse) -> Subscribers.Demand {
        subscriber.receive(try event.decoded(by: decode))
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        subscriber.receive(completion: completion)
    }
}
