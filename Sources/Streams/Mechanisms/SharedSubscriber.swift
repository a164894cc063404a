/// The subscriber of a publisher that counts its subscribers: of ``Publisher/share()``, its forms and
/// ``ConnectablePublisher/autoconnect()``.
///
/// It delivers the signals of its upstream, a subject or a connectable publisher. At the end, its link notifies the
/// publisher once. A lock of the publisher guards the number of subscribers.
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
    private let hasUpstreamName: Bool

    /// Taken by the one call that ends the stream.
    @exclusivity(unchecked) private var onEnd: ((_ isCancelled: Bool) -> Void)?

    /// - Parameters:
    ///   - name: The operator's name, nil for that of the upstream's subscription.
    ///   - onEnd: Called when the upstream has completed or was cancelled.
    @usableFromInline
    init(_ name: String?, onEnd: @escaping (_ isCancelled: Bool) -> Void) {
        hasUpstreamName = name == nil
        self.onEnd = onEnd
        super.init(name ?? "Autoconnect")
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
        hasUpstreamName ? upstream.map { String(describing: $0) } ?? name : name
    }
}
