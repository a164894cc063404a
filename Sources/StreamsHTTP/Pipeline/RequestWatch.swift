import Synchronization

/// Tells monitors of one subscription, and gathers what it costs. Exists only where there are monitors.
///
/// All that changes is behind the lock, and no monitor is called under it.
final class RequestWatch: Sendable {
    private enum Phase {
        case idle
        case running(since: ContinuousClock.Instant)
        case over
    }

    private struct State {
        var phase = Phase.idle
        var metrics = RequestMetrics()
        /// The exchanges' numbers with the subscription, in the metrics' order.
        var hops: [Int] = []
    }

    private static let lastID = Atomic<Int>(0)

    private let monitors: [any EventMonitor]
    private let request: MonitoredRequest
    private let state = Locked(State())

    init(_ monitors: [any EventMonitor], summary: HTTPError.RequestSummary) {
        self.monitors = monitors
        let id = Self.lastID.add(1, ordering: .relaxed).newValue
        request = MonitoredRequest(id: id, method: summary.method, url: summary.url)
    }

    /// Something is asked for; the first time counts.
    func begin() {
        let isFirst = state.withLock { state in
            guard case .idle = state.phase else { return false }
            state.phase = .running(since: .now)
            return true
        }
        guard isFirst else { return }
        for monitor in monitors { monitor.requestStarted(request) }
    }

    /// An exchange is about to be started.
    func started(_ request: TransportRequest, attempt: Int, hop: Int) {
        state.withLock { state in
            guard case .running(let start) = state.phase else { return }
            state.hops.append(hop)
            state.metrics.exchanges.append(
                RequestMetrics.Exchange(
                    attempt: attempt, method: request.method, url: request.url.redactedString,
                    start: start.duration(to: .now)))
        }
    }

    /// An exchange has been measured.
    func measured(_ metrics: ExchangeMetrics, hop: Int) {
        state.withLock { state in
            guard let place = state.hops.lastIndex(of: hop) else { return }
            state.metrics.exchanges[place].measured = metrics
        }
    }

    /// An event is about to be delivered.
    func received(_ event: RequestEvent<Data>) {
        for monitor in monitors { monitor.request(request, received: event) }
    }

    /// The request is over; the first time counts.
    func end(_ completion: Subscribers.Completion<HTTPError>) {
        let metrics = state.withLock { state -> RequestMetrics? in
            guard case .running(let start) = state.phase else { return nil }
            state.phase = .over
            state.metrics.total = start.duration(to: .now)
            return state.metrics
        }
        guard let metrics else { return }
        for monitor in monitors { monitor.requestEnded(request, with: completion, metrics: metrics) }
    }
}
