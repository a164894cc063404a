import Synchronization

/// What the operators have in common whose stream starts or ends at the signal of another publisher.
///
/// Two upstreams may end the stream, on their own threads. What they send goes through one signals, so that the
/// subscriber sees it serially. It is held by the halves that face the upstreams, and goes with them.
@usableFromInline
// Safe because the downstream and what changes belong to the signals's owner.
final class UntilOutputCoordinator<Downstream: Subscriber>: @unchecked Sendable {
    @usableFromInline
    enum Event {
        case subscription
        case value(Downstream.Input)
        case end(Subscribers.Completion<Downstream.Failure>)
    }

    @usableFromInline let link: UntilOutputLink
    @usableFromInline let downstream: Downstream
    @usableFromInline let signals = SerialDrain<Event>()
    @exclusivity(unchecked) @usableFromInline var hasEnded = false

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - downstream: Receives its subscription with the first event.
    @inlinable
    init(_ name: String, downstream: Downstream) {
        link = UntilOutputLink(name)
        self.downstream = downstream
    }

    @inlinable
    func submit(_ event: Event) {
        signals.submit(event, handle)
        // Not before the signals is free: what the upstream delivers now would pile up.
        link.open()
    }

    /// Delivers a value.
    ///
    /// - Returns: What the subscriber asks for in return.
    @inlinable
    func send(_ value: Downstream.Input) -> Subscribers.Demand {
        guard signals.enter() else {
            if signals.enqueue(.value(value)) { signals.drain(handle) }
            return .none
        }
        let additional = deliver(value)
        signals.leave(handle)
        return additional
    }

    /// Ends the stream from the side of the upstream that gives the signal.
    @inlinable
    func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
        link.detach()?.cancel()
        link.signal.cancel()
        submit(.end(completion))
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .subscription:
            link.handOver(to: downstream)
        case .value(let value):
            let additional = deliver(value)
            if additional > .none { link.request(additional) }
        case .end(let completion):
            guard !hasEnded else { return }
            hasEnded = true
            link.handOver(to: downstream)
            if !link.isCancelled { downstream.receive(completion: completion) }
        }
    }

    @inlinable
    func deliver(_ value: Downstream.Input) -> Subscribers.Demand {
        hasEnded || link.isCancelled ? .none : downstream.receive(value)
    }
}

/// A link to two upstreams: the one that has the values, and one that gives a signal by its first value.
@usableFromInline
// Safe because what it adds is atomic, or safe itself.
final class UntilOutputLink: DeferredSubscription, @unchecked Sendable {
    /// To the upstream that gives the signal.
    @usableFromInline let signal: UpstreamLink

    @usableFromInline let signalled = Atomic<Bool>(false)
    @usableFromInline let cancelled = Atomic<Bool>(false)

    @usableFromInline
    init(_ name: String) {
        signal = UpstreamLink()
        super.init(name)
    }

    @inlinable var isSignalled: Bool { signalled.load(ordering: .acquiring) }
    @inlinable var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Notes the signal.
    ///
    /// - Returns: Whether it is the first one, and somebody still waits for it.
    @inlinable
    func noteSignal() -> Bool {
        signal.isActive && !signalled.exchange(true, ordering: .acquiringAndReleasing)
    }

    @usableFromInline
    override func cancel() {
        cancelled.store(true, ordering: .relaxed)
        super.cancel()
        signal.cancel()
    }
}

/// The half that faces the upstream with the values.
@usableFromInline
struct UntilOutputSubscriber<Downstream: Subscriber>: Subscriber {
    @usableFromInline let stream: UntilOutputCoordinator<Downstream>
    @usableFromInline let link: UntilOutputLink

    /// Whether values are left out that come before the signal.
    @usableFromInline let awaitsSignal: Bool

    @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }

    @inlinable
    init(_ stream: UntilOutputCoordinator<Downstream>, awaitsSignal: Bool) {
        self.stream = stream
        self.awaitsSignal = awaitsSignal
        link = stream.link
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { stream.submit(.subscription) }
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        guard link.isActive, !awaitsSignal || link.isSignalled else { return .none }
        return stream.send(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        let isPassedOn = link.complete()
        link.signal.cancel()
        guard isPassedOn else { return }
        stream.submit(.end(completion))
    }
}
