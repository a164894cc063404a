/// Tells monitors of one subscription, and gathers what it costs. Exists only where there are monitors.
///
/// All that changes is behind the lock, and no monitor is called under it.
final class RequestWatch: Sendable {
    private enum Phase {
        case idle
        /// The start is being told; an end that comes meanwhile waits for that.
        case starting(since: ContinuousClock.Instant, end: Subscribers.Completion<HTTPError>?)
        case running(since: ContinuousClock.Instant)
        case over
    }

    private struct State {
        var phase = Phase.idle
        var metrics = RequestMetrics()
        /// The latest exchange's numbers, with the subscription and in the metrics. The end of one comes before the next.
        var latest: (hop: Int, number: Int)?

        mutating func end(since start: ContinuousClock.Instant) -> RequestMetrics {
            phase = .over
            metrics.total = start.duration(to: .now)
            return metrics
        }
    }

    private let monitors: [any EventMonitor]
    private let request: MonitoredRequest
    private let state = Locked(State())

    init(_ monitors: [any EventMonitor], id: Int, summary: HTTPError.RequestSummary) {
        self.monitors = monitors
        request = MonitoredRequest(id: id, method: summary.method, url: summary.url)
    }

    /// Something is asked for, for the first time. Nothing but an end may be told before this returns.
    func begin() {
        let isWanted = state.withLock { state in
            guard case .idle = state.phase else { return false }
            state.phase = .starting(since: .now, end: nil)
            return true
        }
        guard isWanted else { return }
        for monitor in monitors { monitor.requestStarted(request) }
        let end = state.withLock { state -> (Subscribers.Completion<HTTPError>, RequestMetrics)? in
            guard case .starting(let start, let end) = state.phase else { return nil }
            state.phase = .running(since: start)
            return end.map { ($0, state.end(since: start)) }
        }
        if let (completion, metrics) = end { tell(completion, metrics) }
    }

    /// An exchange is about to be started.
    func started(_ request: TransportRequest, attempt: Int, hop: Int) {
        state.withLock { state in
            guard case .running(let start) = state.phase else { return }
            let number = state.metrics.add(
                RequestMetrics.Exchange(
                    attempt: attempt, method: request.method, url: request.url.redactedString,
                    start: start.duration(to: .now)))
            state.latest = (hop, number)
        }
    }

    /// An exchange has been measured.
    func measured(_ metrics: ExchangeMetrics, hop: Int) {
        state.withLock { state in
            guard let latest = state.latest, latest.hop == hop else { return }
            state.metrics.set(metrics, ofExchange: latest.number)
        }
    }

    /// An event is about to be delivered, unless a monitor ends the request.
    func received(_ event: RequestEvent<Data>) {
        for monitor in monitors {
            guard isRunning else { return }
            monitor.request(request, received: event)
        }
    }

    private var isRunning: Bool {
        state.withLock { if case .running = $0.phase { true } else { false } }
    }

    /// The request is over. One that has not begun is not told of any more.
    func end(_ completion: Subscribers.Completion<HTTPError>) {
        let metrics = state.withLock { state -> RequestMetrics? in
            switch state.phase {
            case .idle:
                state.phase = .over
                return nil
            case .starting(let start, _):
                state.phase = .starting(since: start, end: completion)
                return nil
            case .running(let start):
                return state.end(since: start)
            case .over:
                return nil
            }
        }
        if let metrics { tell(completion, metrics) }
    }

    private func tell(_ completion: Subscribers.Completion<HTTPError>, _ metrics: RequestMetrics) {
        for monitor in monitors { monitor.requestEnded(request, with: completion, metrics: metrics) }
    }
}
