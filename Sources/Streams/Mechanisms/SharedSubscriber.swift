/// The subscriber of a publisher that counts its subscribers: of ``Publisher/share()``, ``Publisher/share(replay:)`` and
/// ``ConnectablePublisher/autoconnect()``.
///
/// It delivers what the upstream sends, a subject or a connectable publisher, until the stream ends, and its link tells
/// the publisher once that it has ended. Values belong to the upstream's serial signals; the publisher's count is behind
/// a lock of its own.
@usableFromInline
struct SharedSubscriber<Downstream: Subscriber>: LinkedSubscriber {
    @usableFromInline let downstream: Downstream
    @usableFromInline let link: SharedLink

    @inlinable
    init(downstream: Downstream, link: SharedLink) {
        self.downstream = downstream
        self.link = link
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        link.isActive ? downstream.receive(input) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if link.completeAndLeave() { downstream.receive(completion: completion) }
    }
}

/// The link of a ``SharedSubscriber``.
@usableFromInline
final class SharedLink: UpstreamLink {
    private let name: String?

    /// Taken by the one call that ends the stream.
    @exclusivity(unchecked) private var onEnd: ((_ isCancelled: Bool) -> Void)?

    /// - Parameters:
    ///   - name: The description, nil for that of the upstream's subscription.
    ///   - onEnd: Called when the upstream has completed or was cancelled.
    @usableFromInline
    init(_ name: String?, onEnd: @escaping (_ isCancelled: Bool) -> Void) {
        self.name = name
        self.onEnd = onEnd
    }

    /// Ends the stream, because the upstream has completed.
    ///
    /// - Returns: Whether the completion can be delivered.
    @usableFromInline
    func completeAndLeave() -> Bool {
        guard complete() else { return false }
        onEnd.take()?(false)
        return true
    }

    /// Cancels the upstream, and then leaves the publisher.
    ///
    /// A second call returns at once: the link is terminal by then, so values that still come are not delivered.
    @usableFromInline
    override func cancel() {
        guard let upstream = detach() else { return }
        let onEnd = onEnd.take()
        upstream.cancel()
        onEnd?(true)
    }

    @usableFromInline override var description: String {
        name ?? upstream.map { String(describing: $0) } ?? "Autoconnect"
    }
}
