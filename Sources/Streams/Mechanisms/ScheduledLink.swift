/// The subscription of `receive(on:)` and `delay`, which deliver on a scheduler, and pass requests on once the subscriber
/// has received this subscription.
///
/// Cancellation releases the queued signals and the subscriber on the calling thread, and then cancels the upstream.
@usableFromInline
final class ScheduledLink<Receiver: ScheduledReceiver>: UpstreamLink {
    @usableFromInline let queue = ScheduledQueue<Receiver>()

    // An initializer that is inherited is not specialised.
    @inlinable
    override init(_ name: String) {
        super.init(name)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        if !queue.withholds(demand) { super.request(demand) }
    }

    @usableFromInline
    override func cancel() {
        queue.cancel()
        super.cancel()
    }
}
