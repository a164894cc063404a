/// A cold publisher of a request's events. Every subscription performs an exchange of its own.
///
/// ```
///              attempt──head──chunk──progress──chunk──response─|
/// ```
///
/// **Demand** Nothing is sent before there is demand. Each event consumes one unit of demand. Without demand, progress
/// is conflated, and a body that is delivered in chunks is read from the connection only up to a window of 1 MiB, so
/// that the peer waits.
/// **Completion** After ``RequestEvent/response(_:)``, or with an ``HTTPError`` at any point.
/// **Cancellation** Aborts the exchange in any phase. Nothing is delivered afterwards.
/// **Threads** Events are delivered serially, on a system thread. A subscriber may block it.
public struct RequestPublisher<Value>: Publisher, Sendable {
    public typealias Output = RequestEvent<Value>
    public typealias Failure = HTTPError

    let plan: RequestPlan
    let decode: @Sendable (HTTPResponse<Data>) throws -> Value

    public func receive<Downstream: Subscriber>(
        subscriber: Downstream
    ) where Downstream.Input == RequestEvent<Value>, Downstream.Failure == HTTPError {
        let downstream = DecodingSink(subscriber: subscriber, plan: plan, decode: decode)
        subscriber.receive(subscription: plan.subscription(downstream))
    }
}

extension RequestPublisher {
    /// The events as an asynchronous sequence, which throws ``HTTPError``.
    ///
    /// ```swift
    /// for try await event in client.events(for: request).values { print(event) }
    /// ```
    ///
    /// Each call of `next()` requests one event. When the iterating task is cancelled before the end of the stream, the
    /// exchange is aborted, and the iteration throws an error whose reason is ``HTTPError/Reason/cancelled``.
    public var values: AsyncTypedThrowingPublisher<Self> {
        AsyncTypedThrowingPublisher(self, cancellation: HTTPError(.cancelled, request: plan.summary))
    }
}

extension RequestPublisher: CustomReflectable {
    /// The request's method and URL, without secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["method": plan.summary.method, "url": plan.summary.url])
    }
}

/// A sink that decodes the response for a subscriber. The subscriber may block: it is called on a thread of the
/// system's.
private struct DecodingSink<Value, Downstream: Subscriber>: EventSink
where Downstream.Input == RequestEvent<Value>, Downstream.Failure == HTTPError {
    let subscriber: Downstream
    let plan: RequestPlan
    let decode: @Sendable (HTTPResponse<Data>) throws -> Value

    var filter: EventFilter { plan.bodyUse == .handOver ? .content : .all }

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
