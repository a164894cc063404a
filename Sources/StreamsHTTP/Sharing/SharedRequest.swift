/// Who takes part in a shared request.
protocol SharingParticipant: Deliverer {
    /// Called serially, under the request's lock.
    func take(_ news: SharedRequest.News)
    /// Called afterwards, outside of the lock.
    func deliverIfNeeded()
}

/// One exchange, and everybody who takes part in it. It ends when the last of them leaves.
final class SharedRequest: Sendable {
    /// What the exchange brings.
    enum News: Sendable {
        case event(RequestEvent<Data>)
        case completion(Subscribers.Completion<HTTPError>)
    }

    private struct State {
        var participants: [ObjectIdentifier: any SharingParticipant] = [:]
        var subscription: (any Subscription)?
        /// The events so far, of progress the newest in each attempt, for those who come later.
        var past: [RequestEvent<Data>] = []
        /// From the response on, with which the stream of every participant ends, whoever comes begins another
        /// exchange.
        var isOver = false

        mutating func remember(_ event: RequestEvent<Data>) {
            if let last = past.last, event.replaces(last) { past.removeLast() }
            past.append(event)
        }

        func tell(_ news: News) -> [any SharingParticipant] {
            let everybody = Array(participants.values)
            for participant in everybody { participant.take(news) }
            return everybody
        }
    }

    private let state = Locked(State())
    private let onEnd: @Sendable (SharedRequest) -> Void

    init(onEnd: @escaping @Sendable (SharedRequest) -> Void) {
        self.onEnd = onEnd
    }

    func start(_ plan: RequestPlan) {
        let subscription = RequestSubscription(plan, delivery: .inline, downstream: self)
        let isWanted = state.withLock { state in
            guard !state.isOver else { return false }
            state.subscription = subscription
            return true
        }
        if isWanted { subscription.request(.unlimited) }
    }

    /// - Returns: Whether it is not too late.
    func add(_ participant: any SharingParticipant) -> Bool {
        let isIn = state.withLock { state in
            guard !state.isOver else { return false }
            state.participants[ObjectIdentifier(participant)] = participant
            for event in state.past { participant.take(.event(event)) }
            return true
        }
        if isIn { participant.deliverIfNeeded() }
        return isIn
    }

    func remove(_ participant: any SharingParticipant) {
        let (removed, subscription, isLast) = state.withLock { state in
            let removed = state.participants.removeValue(forKey: ObjectIdentifier(participant))
            let isLast = removed != nil && state.participants.isEmpty && !state.isOver
            guard isLast else { return (removed, (any Subscription)?.none, false) }
            state.isOver = true
            defer { state.subscription = nil }
            return (removed, state.subscription, true)
        }
        withExtendedLifetime(removed) {}
        guard isLast else { return }
        onEnd(self)
        subscription?.cancel()
    }
}

extension SharedRequest: RequestDownstream {
    var interest: EventInterest { .everything }

    func receive(_ event: RequestEvent<Data>) -> Subscribers.Demand {
        let (participants, isOver) = state.withLock { state in
            if case .response = event { state.isOver = true } else { state.remember(event) }
            return (state.tell(.event(event)), state.isOver)
        }
        if isOver { onEnd(self) }
        for participant in participants { participant.deliverIfNeeded() }
        return .none
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        let (participants, subscription) = state.withLock { state in
            state.isOver = true
            defer { state.participants = [:] }
            defer { state.subscription = nil }
            return (state.tell(.completion(completion)), state.subscription)
        }
        onEnd(self)
        for participant in participants { participant.deliverIfNeeded() }
        withExtendedLifetime(subscription) {}
    }
}

extension RequestEvent {
    /// Whether this is newer progress of the same kind.
    fileprivate func replaces(_ earlier: RequestEvent) -> Bool {
        switch (earlier, self) {
        case (.uploadProgress, .uploadProgress), (.downloadProgress, .downloadProgress): true
        default: false
        }
    }
}
