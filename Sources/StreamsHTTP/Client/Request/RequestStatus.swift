/// The state of a request at one moment. Read under the request's lock, and described outside of it.
struct RequestStatus {
    let state: RequestStateMachine.State
    let attempt: CurrentAttempt
    /// Whether the exchange has the head of its response.
    let hasHead: Bool
    /// The number of bytes of the body that the exchange has received, before decoding.
    let receivedBytes: Int64
    let exchange: (any TransportExchange)?

    /// The phase as snapshots show it.
    var displayedPhase: HTTPClient.Snapshot.ActiveRequest.Phase {
        switch state {
        case .idle, .queued, .adapting: .preparing
        case .exchanging where (exchange as? any PolicyExchange)?.isWaiting == true: .waitingForPermit
        case .exchanging: hasHead ? .receiving : .sending
        case .redirecting: .receiving
        case .validatingHead, .decidingRedirect, .validatingBody, .adaptingResponse, .deciding, .recovering: .deciding
        case .waiting, .awaitingDemand: .waitingForRetry
        case .over: .ending
        }
    }
}

extension RequestQueue.Status {
    /// Returns the phase of a request with this status.
    ///
    /// - Parameter running: The phase if the request is running.
    func phase(ofRunning running: HTTPClient.Snapshot.ActiveRequest.Phase) -> HTTPClient.Snapshot.ActiveRequest.Phase {
        switch self {
        case .waiting: .queued
        case .running: running
        case .ending: .ending
        }
    }
}

extension RequestSubscription {
    func add(to snapshot: inout HTTPClient.Snapshot, _ queueStatus: RequestQueue.Status, now: Duration) {
        let (status, start) = self.status
        guard let request = status.attempt.unadaptedRequest ?? (try? plan.request.get()) else { return }
        let summary = request.summary(plan.redaction)
        snapshot.requests.append(
            HTTPClient.Snapshot.ActiveRequest(
                callSite: callSite, method: summary.method, url: summary.url, origin: request.lazyURL.origin, path: nil,
                phase: queueStatus.phase(ofRunning: status.displayedPhase), age: max(now - start, .zero),
                attempt: status.attempt.number,
                hedges: (status.exchange as? HedgedExchange)?.hedges ?? 0, sentBytes: status.attempt.sentBytes,
                receivedBytes: status.receivedBytes))
    }
}
