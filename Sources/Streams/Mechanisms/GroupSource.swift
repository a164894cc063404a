/// The values of one group of `group(by:)`, or of one window: kept until it has a subscriber, then passed to that one's
/// buffer.
///
/// The operator's upstream sends, on one thread at a time; the subscriber requests and cancels on any thread. Values count
/// as consumed, and may be replaced by others, when the subscriber has received them or does not want them any more.
@usableFromInline
// Safe because the state belongs to the drain, or is guarded by a lock.
final class GroupSource<Output, Failure: Error>: Subscription, @unchecked Sendable {
    private enum Event {
        case value(Output)
        case completion(Subscribers.Completion<Failure>)
        case subscriber(any BufferingReceiver<Output, Failure>)
        case demand(Subscribers.Demand)
        case cancellation
    }

    private enum Claim {
        case free
        case subscribed
        case cancelled
    }

    private struct State: DrainState {
        var requests = LinkRequests()
        var account = PrefetchAccount()
        /// The values that came before the subscriber.
        var early: [Output] = []
        /// The subscriber's buffer, which holds the source. Nil before there is a subscriber, and after the end.
        var buffer: (any BufferingReceiver<Output, Failure>)?
        var completion: Subscribers.Completion<Failure>?
    }

    private weak let upstream: UpstreamLink?
    private let onCancel: (GroupSource) -> Void
    private let claim = Locked(Claim.free)
    private let drain = StateDrain<State, Event>(State())

    /// - Parameters:
    ///   - upstream: The link to the operator's upstream, of which other values are requested for those consumed.
    ///   - onCancel: Called when the subscriber has cancelled, or the group was released without one.
    init(upstream: UpstreamLink, onCancel: @escaping (GroupSource) -> Void) {
        self.upstream = upstream
        self.onCancel = onCancel
    }

    func send(_ value: Output) {
        submit(.value(value))
    }

    func finish(_ completion: Subscribers.Completion<Failure>) {
        submit(.completion(completion))
    }

    private func submit(_ event: Event) {
        drain.submit(event, for: self) { $0.handle($1, &$2) }
    }

    /// Subscribes a buffer, if it is the first one.
    @usableFromInline
    func subscribe(_ buffer: any BufferingReceiver<Output, Failure>) -> Bool {
        let isFirst = claim.withLock { claim in
            guard claim == .free else { return false }
            claim = .subscribed
            return true
        }
        guard isFirst, buffer.link.attach(self) else { return isFirst }
        submit(.subscriber(buffer))
        return true
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        submit(.demand(demand))
    }

    /// Drops the values, also later ones: they count as consumed.
    @usableFromInline
    func cancel() {
        let wasCancelled = claim.withLock { exchange(&$0, with: .cancelled) == .cancelled }
        guard !wasCancelled else { return }
        onCancel(self)
        request(.unlimited)
        submit(.cancellation)
    }

    /// Cancels unless there is a subscriber.
    func cancelIfUnclaimed() {
        if claim.withLock({ $0 == .free }) { cancel() }
    }

    private func handle(_ event: Event, _ state: inout State) {
        switch event {
        case .value(let value):
            if let buffer = state.buffer {
                buffer.send(value)
            } else if claim.withLock({ $0 != .cancelled }) {
                state.early.append(value)
            }
            if state.account.addValue() { requestValues(1, &state) }
        case .demand(let demand):
            requestValues(state.account.add(demand), &state)
        case .completion(let completion):
            state.completion = completion
            complete(&state)
        case .subscriber(let buffer):
            state.buffer = buffer
            buffer.start()
            for value in exchange(&state.early, with: []) { buffer.send(value) }
            complete(&state)
        case .cancellation:
            state.early = []
            state.buffer = nil
        }
    }

    /// Requests values in place of those that were consumed.
    private func requestValues(_ count: Int, _ state: inout State) {
        if count > 0, let upstream { state.requests.add(.max(count), to: upstream) }
    }

    /// Sends the completion if there are both a completion and a buffer, and releases the buffer.
    private func complete(_ state: inout State) {
        guard let completion = state.completion, let buffer = state.buffer.take() else { return }
        buffer.send(completion: completion)
    }
}

/// The claim of the copies of a group to its values.
final class GroupClaim<Output, Failure: Error> {
    private let source: GroupSource<Output, Failure>

    init(_ source: GroupSource<Output, Failure>) {
        self.source = source
    }

    deinit {
        source.cancelIfUnclaimed()
    }
}

/// The subscription to the stream of groups, as its buffer sees it. Groups come with the values, which are requested ahead.
final class DividingSubscription: Subscription {
    private let onCancel: () -> Void

    init(onCancel: @escaping () -> Void) {
        self.onCancel = onCancel
    }

    func request(_ demand: Subscribers.Demand) {}

    func cancel() {
        onCancel()
    }
}
