import Synchronization

/// Requests that wait until a drain has been left: a source that emits from inside `request` would only fill the queue,
/// without end if it is endless. Those that a subscriber makes while it receives a value are among them.
///
/// They are added while draining, and the draining thread sends them when it has left. They are sent one after the
/// other, however deep the calls nest (rule 5): the call that is sending also sends what comes up meanwhile.
@usableFromInline
struct DeferredRequests<Request>: ~Copyable {
    @usableFromInline let queue = SerialDrain<Request>()
    @usableFromInline let pending = Atomic<Bool>(false)

    @inlinable
    init() {}

    /// Adds a request, for the next call of `send(_:)`.
    @inlinable
    func add(_ request: Request) {
        queue.append(request)
        pending.store(true, ordering: .releasing)
    }

    /// Whether there are requests to send. Asked before every call of `send(_:)`, it costs a plain load.
    @inlinable var arePending: Bool { pending.load(ordering: .relaxed) }

    /// Sends the requests, unless a call further up the stack or on another thread is sending them.
    @inlinable
    func send(_ pass: (Request) -> Void) {
        if pending.exchange(false, ordering: .acquiring), queue.claimQueue() { queue.drain(pass) }
    }
}
