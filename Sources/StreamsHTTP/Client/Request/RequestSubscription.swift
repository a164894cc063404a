/// A subscription to a request: performs its state machine's effects and delivers its events.
///
/// Not generic, so that the code that runs for each event of a transport is specialised.
// Safe because a lock guards all mutable state, and one thread at a time calls the subscriber.
final class RequestSubscription: RequestHandle, QueuedRequest, @unchecked Sendable {
    private typealias Effects = RequestStateMachine.Effects

    private struct State {
        var machine: RequestStateMachine
        var downstream: (any EventSink)?
        var deadline: (any Cancellable & Sendable)?
        /// The interceptor task or the timer that the state machine waits for, or the last one.
        var operation: (any Cancellable & Sendable)?
        /// The time of the first demand.
        var startTime = Duration.zero
        var isDelivering = false
        /// The slot in the client's queue, from the first demand to the end.
        var slot: Int?

        /// Takes what the request no longer needs. Only the first call returns a subscriber and a slot.
        mutating func end() -> End {
            End(
                downstream: downstream.take(), deadline: deadline.take(), operation: operation.take(), slot: slot.take()
            )
        }
    }

    /// The remains of a request: its subscriber, timers and slot, which the caller returns to the queue.
    private struct End {
        let downstream: (any EventSink)?
        let deadline: (any Cancellable)?
        let operation: (any Cancellable)?
        let slot: Int?

        func cancelTimers() {
            deadline?.cancel()
            operation?.cancel()
        }
    }

    let plan: RequestPlan
    /// The call site of the checkpoint that has subscribed, if there is one.
    let callSite = CallSite.current
    private let interceptors: [any Interceptor]
    /// The last of the interceptors, if it is the client's authorization.
    private let authorization: AuthorizationInterceptor?
    /// The task-local values of the subscription, for the interceptors; `nil` if there are none.
    private let taskLocals: CapturedTaskLocals?
    private let state: Locked<State>
    /// The notifier of the monitors; `nil` if there are none.
    fileprivate let notifier: MonitorNotifier?

    init(_ plan: RequestPlan, downstream: any EventSink) {
        self.plan = plan
        authorization = plan.makeAuthorization()
        interceptors = authorization.map { plan.interceptors + [$0] } ?? plan.interceptors
        taskLocals = plan.isIntercepted ? CapturedTaskLocals() : nil
        let isMonitored = !plan.monitors.isEmpty
        // Only monitors and interceptors use the number.
        let id = isMonitored || plan.isIntercepted ? HTTPRequest.Context.nextID() : 0
        notifier =
            isMonitored
            ? MonitorNotifier(
                plan.monitors, id: id, summary: plan.summary, redaction: plan.redaction,
                isDeferred: plan.sharing != nil && plan.isAdapted) : nil
        let machine = RequestStateMachine(plan, id: id, filter: isMonitored ? .all : downstream.filter)
        state = Locked(State(machine: machine, downstream: downstream))
    }

    func request(_ demand: Subscribers.Demand) {
        update { $0.machine.request(demand, &$1) }
    }

    func cancel() {
        var end: End?
        var error: HTTPError?
        var hasBegun = false
        update { state, effects in
            if notifier != nil { error = state.machine.attempt.error(.cancelled) }
            hasBegun = state.machine.hasBegun
            end = state.end()
            state.machine.cancel(&effects)
        }
        end?.cancelTimers()
        taskLocals?.end()
        // Otherwise the monitors have been notified of its end, or are about to be.
        if let notifier, let error, end?.downstream != nil {
            if hasBegun { notifier.end(.failure(error)) } else { notifier.discard() }
        }
        if let slot = end?.slot { plan.requestQueue.remove(slot) }
    }

    func begin() {
        // The wait in the queue is the first operation.
        handle(.admitted, generation: 0)
    }

    func cancelFromClient() {
        update { $0.machine.cancelFromClient(&$1) }
    }

    /// A request ends by itself.
    func finishFromClient() {}

    /// The state, and the time of the first demand.
    var status: (RequestStatus, start: Duration) { state.withLock { ($0.machine.status, $0.startTime) } }

    func handle(_ input: RequestStateMachine.Input, generation: Int) {
        update { $0.machine.handle(input, generation: generation, &$1) }
    }

    func expire(during wait: HTTPRequest.Wait?, generation: Int) {
        update { $0.machine.expire(during: wait, generation: generation, &$1) }
    }
}

extension RequestSubscription: CustomStringConvertible {
    var description: String { "Request" }
}

// MARK: Inputs

extension RequestSubscription {
    /// Applies an input to the state, performs its effects and delivers its events.
    private func update(_ input: (inout State, inout Effects) -> Void) {
        // Filled in place: effects are large, and each closure's result would be copied.
        var effects = Effects()
        let (earlier, generation, operation, downstream) = state.withLock { state in
            let earlier = state.machine.generation
            input(&state, &effects)
            let mustDeliver = !state.isDelivering && state.machine.isReady && state.downstream != nil
            if mustDeliver { state.isDelivering = true }
            return (
                earlier, state.machine.generation, effects.cancelsOperation ? state.operation.take() : nil,
                mustDeliver ? state.downstream : nil
            )
        }
        operation?.cancel()
        // An exchange that is aborted as soon as it starts, because it is over by then, leaves the generation as it is.
        if let notifier, effects.aborts, generation != earlier { notifier.brokeOffExchange(generation: earlier) }
        perform(effects, generation: generation)
        downstream?.scheduleDelivery(of: self)
    }
}

// MARK: Delivery

extension RequestSubscription {
    func deliver() {
        while let (delivery, downstream) = takeDelivery() {
            switch delivery {
            case .event(let event): deliver(event, to: downstream)
            case .completion(let completion): return complete(completion, downstream)
            }
        }
    }

    private func takeDelivery() -> (EventBuffer.Delivery, any EventSink)? {
        var next: (EventBuffer.Delivery, any EventSink)?
        update { state, effects in
            guard let downstream = state.downstream, let delivery = state.machine.nextDelivery(&effects) else {
                state.isDelivering = false
                return
            }
            next = (delivery, downstream)
        }
        return next
    }

    private func deliver(_ event: RequestEvent<Data>, to downstream: any EventSink) {
        if let notifier {
            notifier.received(event)
            // A monitor may have cancelled.
            guard state.withLock({ $0.downstream != nil }) else { return }
        }
        let demand: Subscribers.Demand
        do throws(UndecodableResponse) {
            demand = try downstream.receive(event)
        } catch {
            return complete(.failure(state.withLock { $0.machine.attempt.error(error.reason) }), downstream)
        }
        if demand > .none { request(demand) }
    }

    private func complete(_ completion: Subscribers.Completion<HTTPError>, _ downstream: any EventSink) {
        // A monitor may cancel while it is notified.
        notifier?.end(completion)
        let end = state.withLock { $0.end() }
        end.cancelTimers()
        taskLocals?.end()
        guard end.downstream != nil else { return }
        // The next request may start while the subscriber still handles this one's completion.
        if let slot = end.slot { plan.requestQueue.endRunning(slot) }
        downstream.receive(completion: completion)
        if let slot = end.slot { plan.requestQueue.remove(slot) }
    }
}

// MARK: Effects

extension RequestSubscription {
    private func perform(_ effects: Effects, generation: Int) {
        if effects.isExpired, let exchange = effects.exchange as? any PolicyExchange {
            exchange.expire()
        } else if effects.aborts {
            effects.exchange?.abort()
        }
        if let allowance = effects.allowance { allowance.exchange.allow(bytes: allowance.bytes) }
        switch effects.operation {
        case .begin: start()
        case .send(let request, let attempt): send(request, attempt: attempt, generation)
        case .call(let interceptorCall): perform(interceptorCall, generation)
        case .wait(let delay): wait(generation) { plan.clock.schedule(delay, $0) }
        case .limitBody(let timeout): wait(generation) { plan.clock.scheduleLimit(timeout, $0) }
        case nil: break
        }
    }

    private func wait(
        _ generation: Int, _ schedule: (@escaping @Sendable () -> Void) -> any Cancellable & Sendable
    ) {
        let timer = schedule { self.handle(.waited, generation: generation) }
        keep(timer, generation) { $0.operation = timer }
    }

    /// Records the start, for monitors and for the retry policy, and enqueues the request with the client.
    private func start() {
        notifier?.begin()
        guard case .success(let request) = plan.request else { return }
        let now = plan.clock.now
        state.withLock { $0.startTime = now }
        if plan.consumesRetries { plan.retryTracker?.recordAttempt(request.lazyURL.origin, now: now) }
        if let delay = plan.options.timeouts.total {
            let timer = plan.clock.schedule(delay) { self.expire() }
            keep(timer, 0) { $0.deadline = timer }
        }
        switch plan.requestQueue.enqueue(self) {
        case .rejected: handle(.rejected, generation: 0)
        case .queued(let slot): keepSlot(slot, isAdmitted: false)
        case .admitted(let slot): keepSlot(slot, isAdmitted: true)
        }
    }

    private func keepSlot(_ slot: Int, isAdmitted: Bool) {
        var isWanted = true
        update { state, effects in
            isWanted = state.downstream != nil
            guard isWanted else { return }
            state.slot = slot
            if isAdmitted { state.machine.handle(.admitted, generation: 0, &effects) }
        }
        if !isWanted { plan.requestQueue.remove(slot) }
    }

    /// Passes a request to the transport, unless an interceptor has cancelled it.
    private func send(_ request: TransportRequest, attempt: Int, _ generation: Int) {
        guard !plan.isIntercepted || state.withLock({ $0.machine.isCurrent(generation) }) else { return }
        var request = request
        let cookieURL = addCookies(to: &request)
        if plan.sharing != nil, let downstream = state.withLock({ $0.downstream }), !downstream.admits(request) {
            notifier?.discard()
            return cancel()
        }
        if let notifier {
            notifier.started(request, attempt: attempt, generation: generation)
            // A monitor may have cancelled.
            guard state.withLock({ $0.machine.isCurrent(generation) }) else { return }
        }
        let receiver = ExchangeReceiver(subscription: self, generation: generation, cookieURL: cookieURL)
        let exchange = plan.start(request, delivering: receiver)
        handle(.started(exchange), generation: generation)
    }

    /// Adds the cookies of the client's jar to a request.
    ///
    /// - Returns: The URL whose response may set cookies; `nil` if none may.
    private func addCookies(to request: inout TransportRequest) -> LazyURL? {
        guard let jar = plan.cookieJar,
            plan.credentialScope.allowsCookies(
                of: request.lazyURL, after: state.withLock { $0.machine.attempt.redirects })
        else { return nil }
        jar.addCookies(to: &request, at: plan.clock.date)
        return request.lazyURL
    }

    /// Stores a timer or a task of a generation, or cancels it if the generation is over by now.
    private func keep(
        _ operation: any Cancellable & Sendable, _ generation: Int, _ store: (inout State) -> Void
    ) {
        let isWanted = state.withLock { state in
            guard state.downstream != nil, state.machine.isCurrent(generation) else { return false }
            store(&state)
            return true
        }
        if !isWanted { operation.cancel() }
    }
}

// MARK: Calls to user code

extension RequestSubscription {
    private func perform(_ call: InterceptorCall, _ generation: Int) {
        switch call {
        case .redirectDecision(let head, let next, let rule):
            let hop = RedirectPolicy.Hop(
                response: head, url: next.url, method: next.method, hasBody: !next.body.isEmpty)
            handle(.decidedRedirect(isFollowed: rule.value(hop)), generation: generation)
        case .headValidation(let head, let error, let retries):
            handle(.validatedHead(validate(head, error, retries: retries)), generation: generation)
        case .bodyValidation(let response):
            let isAcceptable = plan.options.validation.isAcceptableBody?(response) ?? true
            handle(.validatedBody(isAcceptable: isAcceptable), generation: generation)
        case .responseAdaptation(let response, let context):
            runInterceptors(generation) { [plan] in
                .adaptedResponse(await plan.interceptors.adapted(response, context))
            }
        case .retry(let error, let context, let retries, let expectedDelay):
            let firstAttemptTime = state.withLock { $0.startTime }
            let decideByPolicy: @Sendable () -> RequestStateMachine.Input = { [plan] in
                guard context.isRepeatable,
                    let delay = plan.retryDelay(
                        after: error, retries: retries, expectedDelay: expectedDelay,
                        firstAttemptTime: firstAttemptTime)
                else { return .decided(.proceed, byPolicy: true) }
                return .decided(.retry(after: delay), byPolicy: true)
            }
            guard plan.isIntercepted else { return handle(decideByPolicy(), generation: generation) }
            runInterceptors(generation) { [interceptors] in
                guard let decision = await interceptors.retryDecision(after: error, context) else {
                    return decideByPolicy()
                }
                return .decided(decision, byPolicy: false)
            }
        case .adaptation(let request, let context):
            runInterceptors(generation) { [interceptors, plan] in
                .adapted(await interceptors.adapted(request, context, by: plan))
            }
        case .recovery(let error, let context):
            runInterceptors(generation) { [interceptors] in
                .recovered(await interceptors.recovered(from: error, context))
            }
        }
    }

    private func validate(
        _ head: HTTPResponse<Void>, _ error: HTTPError, retries: Int
    ) -> RequestStateMachine.HeadValidation {
        guard plan.options.validation.isAcceptable(head) else { return .unacceptable }
        // Only the policy's statuses make an acceptable response a failure.
        if plan.options.retry.statuses.contains(head.status),
            let delay = plan.retryDelay(
                after: error, retries: retries, firstAttemptTime: state.withLock { $0.startTime }, consuming: false)
        {
            return .repeatable(after: delay)
        }
        return authorization?.renewableVersion(after: error) == nil ? .acceptable : .repeatable(after: nil)
    }

    private func runInterceptors(
        _ generation: Int, _ operation: @escaping @Sendable () async -> RequestStateMachine.Input
    ) {
        taskLocals?.run { [self] in
            let task = InterceptorTask(for: self, generation, on: plan.clock.taskExecutor, operation)
            keep(task, generation) { $0.operation = task }
        }
    }
}

/// Passes one exchange's events to the subscription that started it.
private struct ExchangeReceiver: PolicyReceiver {
    let subscription: RequestSubscription
    let generation: Int
    /// The URL of the request whose response may set cookies; `nil` if none may.
    let cookieURL: LazyURL?

    func receive(_ event: TransportEvent) {
        // Before the event is handled: the next request, to which a redirect leads, may have the cookies.
        if let cookieURL, case .head(let head) = event { takeCookies(from: head, of: cookieURL) }
        subscription.notifier?.received(event, generation: generation)
        switch event {
        case .connected, .metrics: break
        case .sent, .head, .chunk, .trailers, .finished, .failed:
            subscription.handle(.event(event), generation: generation)
        }
    }

    private func takeCookies(from head: HTTPResponse<Void>, of url: LazyURL) {
        let plan = subscription.plan
        plan.cookieJar?.takeCookies(from: head.headers, of: url, at: plan.clock.date)
    }

    func receive(_ waits: HTTPRequest.Metrics.Waits) {
        subscription.notifier?.update(generation) { $0.waits = waits }
    }

    func receive(_ hedging: HTTPRequest.Metrics.Hedging) {
        subscription.notifier?.update(generation) { $0.hedging = hedging }
    }
}
