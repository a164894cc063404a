/// One subscription to a request: performs what its machine decides, and delivers what its machine releases.
// Safe because all that changes is behind the mutex, and the subscriber is called by one thread at a time.
final class RequestSubscription<Value, Downstream: Subscriber>: Subscription, EventSource, RegisteredRequest,
    @unchecked Sendable
where Downstream.Input == RequestEvent<Value>, Downstream.Failure == HTTPError {

    private struct State {
        var machine: ExchangeMachine
        var downstream: Downstream?
        var alarms: [any Cancellable & Sendable] = []
        var isDelivering = false
        /// Its place among the client's requests, from the first demand to the end.
        var place: Int?
    }

    private let plan: RequestPlan
    private let decode: @Sendable (HTTPResponse<Data>) throws -> Value
    private let delivery: EventDelivery
    private let state: Locked<State>

    init(
        _ plan: RequestPlan, delivery: EventDelivery, downstream: Downstream,
        decode: @escaping @Sendable (HTTPResponse<Data>) throws -> Value
    ) {
        self.plan = plan
        self.decode = decode
        self.delivery = delivery
        state = Locked(State(machine: ExchangeMachine(plan), downstream: downstream))
    }

    func request(_ demand: Subscribers.Demand) {
        handle { $0.request(demand) }
    }

    func cancel() {
        let place = finish()
        handle { $0.cancel() }
        if let place { plan.registry.leave(place) }
    }

    func begin() {
        handle { $0.begin() }
    }

    func abandon() {
        handle { $0.abandon() }
    }

    fileprivate func receive(_ event: TransportEvent, hop: Int) {
        var verdict: ExchangeMachine.Verdict?
        if case .head(let head) = event {
            let validation = plan.options.validation ?? .successOnly
            verdict = validation.isAcceptable(head) ? .acceptable : .unacceptable
        }
        handle { $0.receive(event, verdict: verdict, hop: hop) }
    }
}

extension RequestSubscription: CustomStringConvertible {
    var description: String { "Request" }
}

extension RequestSubscription {
    /// Puts an input to the machine, does what it asks, and delivers what it has released.
    func handle(_ input: (inout ExchangeMachine) -> ExchangeMachine.Effects) {
        let (effects, hop, mustDeliver) = state.withLock { state in
            let effects = input(&state.machine)
            let mustDeliver = !state.isDelivering && state.machine.outbox.isReady && state.downstream != nil
            if mustDeliver { state.isDelivering = true }
            return (effects, state.machine.hop, mustDeliver)
        }
        perform(effects, hop: hop)
        if mustDeliver { delivery.run(self) }
    }
}

extension RequestSubscription {
    private func perform(_ effects: ExchangeMachine.Effects, hop: Int) {
        effects.abort?.abort()
        if effects.grant > 0 { state.withLock { $0.machine.exchange }?.grant(effects.grant) }
        if let deadline = effects.deadline { setAlarm(after: deadline) { $0.expire() } }
        if effects.enters { enter() }
        if let wait = effects.wait { setAlarm(after: wait) { $0.resume() } }
        if let request = effects.start {
            let exchange = plan.transport.start(request, delivering: HopReceiver(subscription: self, hop: hop))
            attach(exchange, hop: hop)
        }
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
        guard let effects = state.withLock({ $0.machine.attach(exchange, hop: hop) }) else {
            return exchange.abort()
        }
        if effects.grant > 0 { exchange.grant(effects.grant) }
    }

    private func setAlarm(
        after delay: Duration, _ input: @escaping @Sendable (inout ExchangeMachine) -> ExchangeMachine.Effects
    ) {
        let alarm = plan.clock.schedule(delay, self, input)
        let isWanted = state.withLock { state in
            guard state.downstream != nil else { return false }
            state.alarms.append(alarm)
            return true
        }
        if !isWanted { alarm.cancel() }
    }

    /// Delivers until nothing is left to deliver. Runs on one thread at a time.
    func deliver() {
        while let (delivery, downstream, effects) = takeDelivery() {
            perform(effects, hop: 0)
            switch delivery {
            case .event(let event):
                deliver(event, to: downstream)
            case .completion(let completion):
                complete(completion, downstream)
            }
        }
    }

    private func takeDelivery() -> (EventOutbox.Delivery, Downstream, ExchangeMachine.Effects)? {
        state.withLock { state in
            guard let downstream = state.downstream, let (delivery, effects) = state.machine.nextDelivery() else {
                state.isDelivering = false
                return nil
            }
            return (delivery, downstream, effects)
        }
    }

    private func deliver(_ event: RequestEvent<Data>, to downstream: Downstream) {
        let decoded: RequestEvent<Value>
        do throws(UndecodableResponse) {
            decoded = try event.decoded(by: decode)
        } catch {
            let failure = state.withLock { $0.machine.error(.decoding(error.error, error.response)) }
            return complete(.failure(failure), downstream)
        }
        let demand = downstream.receive(decoded)
        if demand > .none { handle { $0.request(demand) } }
    }

    private func complete(_ completion: Subscribers.Completion<HTTPError>, _ downstream: Downstream) {
        let place = finish()
        // The next request may begin while the subscriber is still busy with the end of this one.
        if let place, plan.maxConcurrentRequests != nil { plan.registry.giveTurnBack(place) }
        downstream.receive(completion: completion)
        if let place { plan.registry.leave(place) }
    }

    /// Lets go of the subscriber and of everything that waits on its behalf.
    ///
    /// - Returns: The place among the client's requests that is now the caller's to give back.
    private func finish() -> Int? {
        let (downstream, alarms, place) = state.withLock { state in
            defer {
                state.downstream = nil
                state.alarms = []
                state.place = nil
            }
            return (state.downstream, state.alarms, state.place)
        }
        for alarm in alarms { alarm.cancel() }
        withExtendedLifetime(downstream) {}
        return place
    }
}

/// Leads one exchange's events to the subscription that started it.
private struct HopReceiver<Value, Downstream: Subscriber>: TransportReceiver
where Downstream.Input == RequestEvent<Value>, Downstream.Failure == HTTPError {
    let subscription: RequestSubscription<Value, Downstream>
    let hop: Int

    func receive(_ event: TransportEvent) {
        subscription.receive(event, hop: hop)
    }
}
