/// A participant in a shared request.
protocol SharingParticipant: AnyObject, Sendable {
    /// Keeps the request that this has been added to, or leaves it if this has been cancelled.
    func join(_ request: SharedRequest)
    /// Receives an update. Called serially, under the request's lock.
    func receive(_ update: EventBuffer.Delivery)
    /// Delivers buffered updates. Called afterwards, outside the lock.
    func deliverIfNeeded()
}

/// One exchange that several participants share. It is cancelled when the last participant leaves.
///
/// A request that interceptors adapt has one participant at first and holds its events back: only the adapted request
/// shows which requests are identical. Before it is sent, its participant may move to an identical request in flight.
final class SharedRequest: Sendable {
    /// The result of ``move(to:)``.
    enum Move {
        case moved
        /// The other request is over.
        case refused
        /// The participant has left.
        case abandoned
    }

    /// Decides about the request when it has been adapted, and returns whether it is to be sent.
    typealias Admission = @Sendable (SharedRequest, TransportRequest) -> Bool

    private struct State {
        var participants: [ObjectIdentifier: any SharingParticipant] = [:]
        var subscription: (any Subscription)?
        /// The events so far, for participants that join late. Successive progress events are reduced to the newest.
        var history: [RequestEvent<Data>] = []
        /// Decides about the request when it has been adapted. Until then, the events are held back.
        var admission: Admission?
        var onEnd: (@Sendable (SharedRequest) -> Void)?
        /// Whether the exchange has a response, has completed or was cancelled. A later request then starts another
        /// exchange.
        var isOver = false

        mutating func remember(_ event: RequestEvent<Data>) {
            if let last = history.last, event.replaces(last) { history.removeLast() }
            history.append(event)
        }

        func broadcast(_ update: EventBuffer.Delivery) -> [any SharingParticipant] {
            let recipients = Array(participants.values)
            for participant in recipients { participant.receive(update) }
            return recipients
        }

        /// Sends the events that were held back, if there are any.
        ///
        /// - Returns: The admission, to be released outside the lock.
        mutating func releaseEvents() -> Admission? {
            guard let admission = admission.take() else { return nil }
            for event in history { _ = broadcast(.event(event)) }
            return admission
        }
    }

    private let state: Locked<State>

    /// Creates a request that participants can join.
    init(onEnd: @escaping @Sendable (SharedRequest) -> Void) {
        state = Locked(State(onEnd: onEnd))
    }

    /// Creates a request for one participant, until it has been adapted.
    init(admission: @escaping Admission) {
        state = Locked(State(admission: admission))
    }

    func start(_ plan: RequestPlan) {
        let subscription = RequestSubscription(plan, downstream: self)
        let isWanted = state.withLock { state in
            guard !state.isOver else { return false }
            state.subscription = subscription
            return true
        }
        if isWanted { subscription.request(.unlimited) }
    }

    /// Sets the closure to call when no participant can join any more, and calls it if that is so already.
    func onEnd(_ onEnd: @escaping @Sendable (SharedRequest) -> Void) {
        let isOver = state.withLock { state in
            state.onEnd = onEnd
            return state.isOver
        }
        if isOver { end() }
    }

    private func end() {
        state.withLock { $0.onEnd }?(self)
    }
}

// MARK: Participants

extension SharedRequest {
    /// Adds a participant, unless the exchange is over.
    ///
    /// - Returns: Whether the participant was added.
    func add(_ participant: any SharingParticipant) -> Bool {
        guard insert(participant) else { return false }
        participant.join(self)
        participant.deliverIfNeeded()
        return true
    }

    private func insert(_ participant: any SharingParticipant) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.participants[ObjectIdentifier(participant)] = participant
            if state.admission == nil {
                for event in state.history { participant.receive(.event(event)) }
            }
            return true
        }
    }

    /// Moves the participant of this request, whose events are held back, to another request. This request is over
    /// then, and the caller cancels it.
    func move(to other: SharedRequest) -> Move {
        let (result, before) = state.withLock { state -> (Move, State?) in
            guard let participant = state.participants.values.first else { return (.abandoned, nil) }
            // The lock of the other is taken inside, never the other way round: events of the other are not held back.
            // So the participant always belongs to one of them, and receives the end of one of them.
            guard other.insert(participant) else { return (.refused, nil) }
            let before = state
            state = State(isOver: true)
            return (.moved, before)
        }
        if let moved = before?.participants.values.first {
            moved.join(other)
            moved.deliverIfNeeded()
        }
        return result
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
        end()
        subscription?.cancel()
    }
}

// MARK: Events

extension SharedRequest: EventSink {
    var filter: EventFilter { .all }

    /// Delivers on the transport's thread, because each participant delivers on its own.
    func scheduleDelivery(of subscription: any RequestHandle) {
        subscription.deliver()
    }

    func admits(_ request: TransportRequest) -> Bool {
        guard let admission = state.withLock({ $0.admission }) else { return true }
        guard admission(self, request) else { return false }
        let (participants, released) = state.withLock { state in
            let released = state.releaseEvents()
            return (Array(state.participants.values), released)
        }
        withExtendedLifetime(released) {}
        for participant in participants { participant.deliverIfNeeded() }
        return true
    }

    func receive(_ event: RequestEvent<Data>) -> Subscribers.Demand {
        let (participants, isOver, released) = state.withLock { state in
            var released: Admission?
            if case .response = event {
                released = state.releaseEvents()
                state.isOver = true
            } else {
                state.remember(event)
            }
            return (state.admission == nil ? state.broadcast(.event(event)) : [], state.isOver, released)
        }
        withExtendedLifetime(released) {}
        if isOver { end() }
        for participant in participants { participant.deliverIfNeeded() }
        return .none
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        let (participants, subscription, released) = state.withLock { state in
            let released = state.releaseEvents()
            state.isOver = true
            defer { state.participants = [:] }
            defer { state.subscription = nil }
            return (state.broadcast(.completion(completion)), state.subscription, released)
        }
        withExtendedLifetime(released) {}
        end()
        for participant in participants { participant.deliverIfNeeded() }
        withExtendedLifetime(subscription) {}
    }
}

extension RequestEvent {
    /// Returns whether this is newer progress of the same kind as an earlier event.
    fileprivate func replaces(_ earlier: RequestEvent) -> Bool {
        switch (earlier, self) {
        case (.uploadProgress, .uploadProgress), (.downloadProgress, .downloadProgress): true
        default: false
        }
    }
}
