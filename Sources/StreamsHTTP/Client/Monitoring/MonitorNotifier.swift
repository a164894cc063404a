/// Notifies the monitors of one subscription, and collects its metrics. Exists only if there are monitors.
///
/// The monitors are called with the task-local values of the subscription, one call after the other: while a call is
/// under way, the next one waits. No monitor is called under the lock.
final class MonitorNotifier: Sendable {
    fileprivate struct State {
        var start: ContinuousClock.Instant?
        /// The completion, if another thread has ended the request before its start.
        var earlyCompletion: Subscribers.Completion<HTTPError>?
        /// The events before the first exchange, if the notifications are deferred until then.
        var deferred: [RequestEvent<Data>]?
        var isOver = false
        var metrics = HTTPRequest.Metrics()
        /// The latest exchange.
        var latest: ExchangeID?
        /// The exchange that the monitors know of. Calls may wait, so it may be one before the latest.
        var openExchange: ExchangeID?
    }

    /// The generation of an exchange and its number in the metrics.
    fileprivate struct ExchangeID {
        let generation: Int
        let number: Int
    }

    private let monitors: [any EventMonitor]
    private let request: MonitoredRequest
    private let redaction: Redaction
    private let taskLocals = CapturedTaskLocals()
    private let state: Locked<State>

    /// - Parameter isDeferred: Whether the monitors are not notified before the first exchange or the end, because the
    ///   request may join another one before it is sent.
    init(
        _ monitors: [any EventMonitor], id: Int, summary: HTTPError.RequestSummary, redaction: Redaction,
        isDeferred: Bool
    ) {
        self.monitors = monitors
        self.redaction = redaction
        state = Locked(State(deferred: isDeferred ? [] : nil))
        request = MonitoredRequest(id: id, method: summary.method, url: summary.url)
    }

    /// Notifies the monitors of the first demand. Only ``end(_:)`` may be called before this returns.
    func begin() {
        taskLocals.run { [self] in
            // The start is recorded in the call that notifies of it, so that the call for the end comes after it.
            let isDeferred = state.withLock { state in
                state.start = .now
                return state.deferred != nil
            }
            guard !isDeferred else { return }
            for monitor in monitors { monitor.requestStarted(request) }
        }
        if let completion = state.withLock({ $0.earlyCompletion.take() }) { end(completion) }
    }

    /// Notifies the monitors of the deferred start and events.
    private func notifyOfDeferred() {
        guard state.withLock({ $0.deferred != nil && $0.start != nil && !$0.isOver }) else { return }
        taskLocals.run { [self] in
            guard let events = state.withLock({ $0.deferred.take() }) else { return }
            for monitor in monitors { monitor.requestStarted(request) }
            for event in events { notify(of: event) }
        }
    }

    /// Ends a request of whose start the monitors are not notified.
    func discard() {
        state.withLock { $0.isOver = true }
        taskLocals.end()
    }

    /// Records an exchange that is about to start.
    func started(_ request: TransportRequest, attempt: Int, generation: Int) {
        notifyOfDeferred()
        let exchange = state.withLock { state -> ExchangeID? in
            guard let start = state.start, !state.isOver else { return nil }
            let number = state.metrics.add(
                HTTPRequest.Metrics.Exchange(
                    attempt: attempt, method: request.method, url: redaction.redacting(request.url),
                    start: start.duration(to: .now)))
            state.latest = ExchangeID(generation: generation, number: number)
            return state.latest
        }
        guard let exchange else { return }
        taskLocals.run { [self] in
            if let exchange = state.withLock({ $0.open(exchange) }) { tell(exchange, .started) }
        }
    }

    /// Records an event of the transport, before the subscription handles it.
    func received(_ event: TransportEvent, generation: Int) {
        switch event {
        case .connected(let isReused, let remoteAddress):
            notify(of: .connected(isReused: isReused, remoteAddress: remoteAddress), generation: generation)
        case .head(let head): notify(of: .head(head), generation: generation)
        case .metrics(let metrics): update(generation) { $0.measured = metrics }
        case .finished: notify(of: .ended(nil), generation: generation)
        case .failed(let failure):
            notify(of: .ended(failure.reason.redacted(by: redaction)), generation: generation)
        case .sent, .chunk, .trailers: break
        }
    }

    /// Records that the client has broken off an exchange.
    func brokeOffExchange(generation: Int) {
        notify(of: .ended(.cancelled), generation: generation)
    }

    /// Notifies the monitors of a stage of the exchange of a generation, if they know of it.
    private func notify(of stage: MonitoredRequest.Stage, generation: Int) {
        taskLocals.run { [self] in
            guard let exchange = state.withLock({ $0.exchange(reaching: stage, generation: generation) }) else {
                return
            }
            tell(exchange, stage)
        }
    }

    private func tell(_ exchange: HTTPRequest.Metrics.Exchange, _ stage: MonitoredRequest.Stage) {
        for monitor in monitors { monitor.request(request, exchange: exchange, reached: stage) }
    }

    /// Changes the metrics of the exchange of a generation, if it is the latest.
    func update(_ generation: Int, _ change: (inout HTTPRequest.Metrics.Exchange) -> Void) {
        state.withLock { state in
            guard let latest = state.latest, latest.generation == generation else { return }
            state.metrics.update(latest.number, change)
        }
    }

    /// Notifies the monitors of an event before its delivery, until one of them ends the request.
    func received(_ event: RequestEvent<Data>) {
        taskLocals.run { [self] in
            let isDeferred = state.withLock { state in
                state.deferred?.append(event)
                return state.deferred != nil
            }
            if !isDeferred { notify(of: event) }
        }
    }

    private func notify(of event: RequestEvent<Data>) {
        for monitor in monitors {
            guard state.withLock({ !$0.isOver }) else { return }
            monitor.request(request, received: event)
        }
    }

    /// Notifies the monitors of the end, after the start. The request has been demanded, so ``begin()`` has been
    /// called, or is about to be.
    func end(_ completion: Subscribers.Completion<HTTPError>) {
        let isStarted = state.withLock { state in
            if state.start == nil { state.earlyCompletion = completion }
            return state.start != nil
        }
        guard isStarted else { return }
        notifyOfDeferred()
        let metrics = state.withLock { state -> HTTPRequest.Metrics? in
            defer { state.isOver = true }
            guard !state.isOver, let start = state.start else { return nil }
            state.metrics.total = start.duration(to: .now)
            return state.metrics
        }
        guard let metrics else { return }
        taskLocals.run { [self] in
            if let exchange = state.withLock({ $0.closeExchange() }) { tell(exchange, .ended(.cancelled)) }
            for monitor in monitors { monitor.requestEnded(request, with: completion, metrics: metrics) }
        }
        taskLocals.end()
    }
}

extension MonitorNotifier.State {
    /// Returns the exchange whose start the monitors are told of; `nil` if the request is over.
    fileprivate mutating func open(_ id: MonitorNotifier.ExchangeID) -> HTTPRequest.Metrics.Exchange? {
        guard !isOver else { return nil }
        openExchange = id
        return metrics.exchange(id.number)
    }

    /// Returns the exchange of a generation, which reaches a stage; `nil` if the request is over, or if the monitors do
    /// not know of the exchange.
    fileprivate mutating func exchange(reaching stage: MonitoredRequest.Stage, generation: Int)
        -> HTTPRequest.Metrics.Exchange?
    {
        guard !isOver, let id = openExchange, id.generation == generation else { return nil }
        if case .ended = stage { return closeExchange() }
        return metrics.exchange(id.number)
    }

    /// Returns the exchange that the monitors know of, and forgets it.
    fileprivate mutating func closeExchange() -> HTTPRequest.Metrics.Exchange? {
        openExchange.take().flatMap { metrics.exchange($0.number) }
    }
}
