// What the machine asks to be done: exchanges, timers, turns, and the questions that are the user's to answer.

extension RequestSubscription {
    func perform(_ effects: ExchangeMachine.Effects, hop: Int) {
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

    func grant(_ grant: ExchangeMachine.Grant?) {
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
}

// MARK: What is the user's to decide

extension RequestSubscription {
    func judge(_ head: HTTPResponse<Void>, _ hop: Int) -> ExchangeMachine.Verdict {
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

    /// Later ones are started by whoever comes along.
    var isAwaited: Bool { hop == 1 && subscription.isAwaited }

    func receive(_ event: TransportEvent) {
        subscription.receive(event, hop: hop)
    }
}
