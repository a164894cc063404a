/// One subscription to a request: performs what its machine decides, and delivers what its machine releases.
///
/// Not generic, so that what happens at each event of a transport is compiled for the types it is about.
// Safe because all that changes is behind the mutex, and the subscriber is called by one thread at a time.
final class RequestSubscription: RequestSource, EventSource, RegisteredRequest, @unchecked Sendable {

    struct State {
        var machine: ExchangeMachine
        var downstream: (any RequestDownstream)?
        var deadline: (any Cancellable & Sendable)?
        /// What ends the wait for another attempt, or has ended the last one.
        var wait: (any Cancellable & Sendable)?
        var consultation: Consultation?
        /// When the first attempt began, where that matters.
        var began = Duration.zero
        var isDelivering = false
        var isObserving = false
        /// Its place among the client's requests, from the first demand to the end.
        var place: Int?
    }

    let plan: RequestPlan
    let interceptors: [any Interceptor]
    private let delivery: EventDelivery
    let state: Locked<State>
    /// Tells monitors, where there are any.
    let watch: RequestWatch?
    /// Whether whoever asks for the request only waits for its answer, and nobody else is told of anything.
    let isAwaited: Bool

    init(_ plan: RequestPlan, delivery: EventDelivery, downstream: any RequestDownstream) {
        self.plan = plan
        self.delivery = delivery
        interceptors = plan.makeInterceptors()
        let isTold = !plan.monitors.isEmpty
        // Where nobody is to know it, a request needs no number.
        let id = isTold || !interceptors.isEmpty ? RequestContext.nextID() : 0
        watch = isTold ? RequestWatch(plan.monitors, id: id, summary: plan.summary) : nil
        // A request that waits for its turn is started by somebody else.
        isAwaited =
            downstream.interest == .answer && !isTold && interceptors.isEmpty && plan.maxConcurrentRequests == nil
            && plan.options.validation?.asksUser != true && plan.options.retry?.shouldRetry == nil
        let machine = ExchangeMachine(
            plan, id: id, isIntercepted: !interceptors.isEmpty, interest: isTold ? .everything : downstream.interest)
        state = Locked(State(machine: machine, downstream: downstream))
    }

    func request(_ demand: Subscribers.Demand) {
        handle { $0.request(demand) }
    }

    func cancel() {
        let (wasSubscribed, place) = finish()
        // Where it was not, its end has been told, or is about to be.
        if wasSubscribed, let watch {
            watch.end(.failure(state.withLock { $0.machine.error(.cancelled) }))
        }
        handle { $0.cancel() }
        if let place { plan.registry.leave(place) }
    }

    func error(for undecodable: UndecodableResponse) -> HTTPError {
        state.withLock { $0.machine.error(undecodable.reason) }
    }

    func begin() {
        handle { $0.begin() }
    }

    func abandon() {
        handle { $0.abandon() }
    }

    func receive(_ event: TransportEvent, hop: Int) {
        switch event {
        case .sent(let count, let total):
            handle { $0.receive(sent: count, of: total, hop: hop) }
        case .head(let head):
            let verdict = judge(head, hop)
            handle { $0.receive(head, verdict, hop: hop) }
        case .chunk(let chunk, let received):
            handle { $0.receive(chunk, received: received, hop: hop) }
        case .metrics(let metrics):
            watch?.measured(metrics, hop: hop)
        case .finished:
            handle { $0.finish(hop: hop) }
        case .failed(let failure):
            handle { $0.fail(failure, hop: hop) }
        }
    }
}

extension RequestSubscription: CustomStringConvertible {
    var description: String { "Request" }
}

extension RequestSubscription {
    /// Puts an input to the machine, does what it asks, and delivers what it has released.
    func handle(_ input: (inout ExchangeMachine) -> ExchangeMachine.Effects) {
        let (effects, hop, mustDeliver, mustObserve) = state.withLock { state in
            let effects = input(&state.machine)
            let mustDeliver = !state.isDelivering && state.machine.outbox.isReady && state.downstream != nil
            if mustDeliver { state.isDelivering = true }
            let mustObserve = !state.isObserving && state.machine.hasNotices
            if mustObserve { state.isObserving = true }
            return (effects, state.machine.hop, mustDeliver, mustObserve)
        }
        if mustObserve { tellObservers() }
        perform(effects, hop: hop)
        if mustDeliver { delivery.run(self) }
    }

    /// Tells the interceptors until there is nothing left to tell. Runs on one thread at a time.
    private func tellObservers() {
        while let notices = takeNotices() {
            for (event, context) in notices {
                for interceptor in interceptors { interceptor.observe(event, context) }
            }
        }
    }

    private func takeNotices() -> [(ObservedEvent, RequestContext)]? {
        state.withLock { state in
            state.isObserving = state.machine.hasNotices
            return state.isObserving ? state.machine.takeNotices() : nil
        }
    }
}

extension RequestSubscription {
    /// Delivers until nothing is left to deliver. Runs on one thread at a time.
    func deliver() {
        while let (delivery, downstream, grant, isReleased) = takeDelivery() {
            self.grant(grant)
            switch delivery {
            case .event(let event):
                deliver(event, to: downstream)
                if isReleased { handle { $0.release() } }
            case .completion(let completion):
                return complete(completion, downstream)
            }
        }
    }

    private func takeDelivery() -> (
        EventOutbox.Delivery, any RequestDownstream, grant: ExchangeMachine.Grant?, isReleased: Bool
    )? {
        state.withLock { state in
            guard let downstream = state.downstream, let (delivery, grant) = state.machine.nextDelivery() else {
                state.isDelivering = false
                return nil
            }
            return (delivery, downstream, grant, state.machine.isReleased)
        }
    }

    private func deliver(_ event: RequestEvent<Data>, to downstream: any RequestDownstream) {
        if let watch {
            watch.received(event)
            // A monitor may have cancelled.
            guard state.withLock({ $0.downstream != nil }) else { return }
        }
        let demand: Subscribers.Demand
        do throws(UndecodableResponse) {
            demand = try downstream.receive(event)
        } catch {
            return complete(.failure(self.error(for: error)), downstream)
        }
        if demand > .none { handle { $0.request(demand) } }
    }

    private func complete(_ completion: Subscribers.Completion<HTTPError>, _ downstream: any RequestDownstream) {
        // Until the monitors have been told, one of them may cancel.
        watch?.end(completion)
        let (wasSubscribed, place) = finish()
        guard wasSubscribed else { return }
        // The next request may begin while the subscriber is still busy with the end of this one.
        if let place, plan.maxConcurrentRequests != nil { plan.registry.giveTurnBack(place) }
        downstream.receive(completion: completion)
        if let place { plan.registry.leave(place) }
    }

    /// Lets go of the subscriber and of everything that waits on its behalf.
    ///
    /// - Returns: Whether there was a subscriber, and the place among the client's requests that is now the caller's to
    ///   give back.
    private func finish() -> (wasSubscribed: Bool, place: Int?) {
        let (downstream, deadline, wait, consultation, place) = state.withLock { state in
            (
                state.downstream.take(), state.deadline.take(), state.wait.take(), state.consultation.take(),
                state.place.take()
            )
        }
        deadline?.cancel()
        wait?.cancel()
        consultation?.cancel()
        return (downstream != nil, place)
    }
}
