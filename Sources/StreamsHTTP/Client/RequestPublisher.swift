/// A request as a cold stream of events: every subscription is an exchange of its own.
///
/// ```
///              attempt──head──chunk──progress──chunk──response─|
/// ```
///
/// **Demand** Nothing is sent before something is asked for. Each event answers one unit of demand. Where events
/// are not asked for, progress is conflated, and a body that is delivered in chunks is read from the connection only
/// as far as a window of 1 MiB, so that the peer waits.
/// **Completion** After ``RequestEvent/response(_:)``, or with an ``HTTPError`` at any point.
/// **Cancellation** Ends the exchange in whatever phase it is, and nothing more is delivered.
/// **Threads** Events are delivered serially, on a thread of the system's; a subscriber may take its time.
public struct RequestPublisher<Value>: Publisher, Sendable {
    public typealias Output = RequestEvent<Value>
    public typealias Failure = HTTPError

    let plan: RequestPlan
    let decode: @Sendable (HTTPResponse<Data>) throws -> Value

    public func receive<Downstream: Subscriber>(
        subscriber: Downstream
    ) where Downstream.Input == RequestEvent<Value>, Downstream.Failure == HTTPError {
        let downstream = DecodingDownstream(subscriber: subscriber, decode: decode)
        subscriber.receive(subscription: plan.subscription(downstream, delivery: .queued))
    }
}
