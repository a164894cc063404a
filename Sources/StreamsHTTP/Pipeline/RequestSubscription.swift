/// One subscription to a request: performs what its machine decides, and delivers what its machine releases.
///
/// Not generic, so that what happens at each event of a transport is compiled for the types it is about.
// Safe because all that changes is behind the mutex, and the subscriber is called by one thread at a time.
final class RequestSubscription: RequestSource, EventSource, RegisteredRequest, @unchecked Sendable {

    private struct State {
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

    private let plan: RequestPlan
    private let interceptors: [any Interceptor]
    private let delivery: EventDelivery
    private let state: Locked<State>
    /// Tells monitors, where there are any.
    private let watch: RequestWatch?

    init(_ plan: RequestPlan, delivery: EventDelivery, downstream: any RequestDownstream) {
        self.plan = plan
        self.delivery = delivery
        interceptors = plan.makeInterceptors()
        let isTold = !plan.monitors.isEmpty
        // Where nobody is to know it, a request needs no number.
        let id = isTold || !interceptors.isEmpty ? RequestContext.nextID() : 0
        watch = isTold ? RequestWatch(plan.monitors, id: id, summary: plan.summary) : nil
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

    fileprivate func receive(_ event: TransportEvent, hop: Int) {
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
    private func perform(_ effects: ExchangeMachine.Effects, hop: Int) {
        if effects.aborts { effects.exchange?.abort() }
        if effects.endsInquiry { state.withLock { $0.consultation.take() }?.cancel() }
        grant(effects.grant)
        if effects.begins { noteBeginning() }
        if let deadline = effects.deadline { setDeadline(after: deadline) }
        if effects.enters { enter() }
        if let wait = effects.wait { resume(after: wait, hop: hop) }
        if effects.starts { start(hop: hop) }
        if let inquiry = effects.inquiry { answer(inquiry, hop: hop) }
    }

    private func grant(_ grant: ExchangeMachine.Grant?) {
        if let grant, grant.bytes > 0 { grant.exchange.grant(grant.bytes) }
    }

    /// Hands the machine's request to the transport, if it is still wanted.
    private func start(hop: Int) {
        let (request, attempt) = state.withLock { state in
            (state.machine.handOver(hop: hop), state.machine.attempt)
        }
        guard let request else { return }
        watch?.started(request, attempt: attempt, hop: hop)
        let exchange = plan.transport.start(request, delivering: HopReceiver(subscription: self, hop: hop))
        attach(exchange, hop: hop)
    }

    /// Takes note of the beginning, for monitors and for the sake of attempts that may follow the first.
    private func noteBeginning() {
        watch?.begin()
        guard let policy = plan.options.retry, policy.maxRetries > 0 else { return }
        let now = plan.clock.now
        state.withLock { $0.began = now }
        if case .success(let request) = plan.request { plan.ledger?.deposit(request.url.origin, now: now) }
    }

    /// Asks the client for a turn.
    private func enter() {
        let entrance = plan.registry.enter(self, limit: plan.maxConcurrentRequests)
        switch entrance {
        case .refused:
            handle { $0.refuse() }
        case .begins(let place), .waits(let place):
            let isWanted = state.withLock { state in
                guard state.downstream != nil else { return false }
                state.place = place
                return true
            }
            guard isWanted else { return plan.registry.leave(place) }
            if case .begins = entrance { begin() }
        }
    }

    private func attach(_ exchange: any TransportExchange, hop: Int) {
        guard let bytes = state.withLock({ $0.machine.attach(exchange, hop: hop) }) else { return exchange.abort() }
        if bytes > 0 { exchange.grant(bytes) }
    }

    private func setDeadline(after delay: Duration) {
        let alarm = plan.clock.schedule(delay, self) { $0.expire() }
        let isWanted = state.withLock { state in
            guard state.downstream != nil else { return false }
            state.deadline = alarm
            return true
        }
        if !isWanted { alarm.cancel() }
    }

    private func resume(after delay: Duration, hop: Int) {
        let alarm = plan.clock.schedule(delay, self) { $0.resume() }
        let isWanted = state.withLock { state in
            // It may have gone off by now, and another wait be under way.
            guard state.downstream != nil, state.machine.hop == hop else { return false }
            state.wait = alarm
            return true
        }
        if !isWanted { alarm.cancel() }
    }

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

// MARK: What is the user's to decide

extension RequestSubscription {
    private func judge(_ head: HTTPResponse<Void>, _ hop: Int) -> ExchangeMachine.Verdict {
        let validation = plan.options.validation ?? .successOnly
        guard plan.options.retry != nil || !interceptors.isEmpty || validation.asksUser else {
            return validation.isAcceptable(head) ? .acceptable : .unacceptable
        }
        // Nobody is asked about a redirect that is followed.
        let (arrival, began) = state.withLock { ($0.machine.arrival(of: head, hop: hop), $0.began) }
        guard let arrival else { return .acceptable }
        guard validation.isAcceptable(arrival.head),
            interceptors.allSatisfy({ $0.isAcceptable(arrival.head, arrival.context) })
        else { return .unacceptable }
        let isRepeated = plan.expectsRetry(after: arrival.error, retries: arrival.retries, began: began)
        return isRepeated ? .repeatable : .acceptable
    }

    private func answer(_ inquiry: Inquiry, hop: Int) {
        switch inquiry {
        case .validation(let response):
            let isAcceptable = plan.options.validation?.isAcceptableBody?(response) ?? true
            handle { $0.validate(isAcceptable ? .acceptable : .unacceptable, hop: hop) }
        case .retry(let error, let context, let retries):
            let began = state.withLock { $0.began }
            guard !interceptors.isEmpty else {
                let ruling = plan.ruling(after: error, context, retries: retries, began: began)
                return handle { $0.decide(ruling, hop: hop) }
            }
            consult(hop) { [plan, interceptors] in
                let ruling =
                    await interceptors.ruling(after: error, context)
                    ?? plan.ruling(after: error, context, retries: retries, began: began)
                return { $0.decide(ruling, hop: hop) }
            }
        case .adaptation(let request, let context):
            consult(hop) { [interceptors] in
                let adapted = await interceptors.adapted(request, context)
                return { $0.adapt(adapted, hop: hop) }
            }
        case .recovery(let error, let context):
            consult(hop) { [interceptors] in
                let recovered = await interceptors.recovered(from: error, context)
                return { $0.recover(recovered, hop: hop) }
            }
        }
    }

    private func consult(_ hop: Int, _ ask: @escaping @Sendable () async -> Consultation.Input) {
        let consultation = Consultation(for: self, ask)
        let isWanted = state.withLock { state in
            // It may have been answered by now, and another be under way.
            guard state.downstream != nil, state.machine.hop == hop else { return false }
            state.consultation = consultation
            return true
        }
        if !isWanted { consultation.cancel() }
    }
}

/// Leads one exchange's events to the subscription that started it.
private struct HopReceiver: TransportReceiver {
    let subscription: RequestSubscription
    let hop: Int

    func receive(_ event: TransportEvent) {
        subscription.receive(event, hop: hop)
    }
}
