/// The state of a request at one moment. Read under the request's lock, and described outside of it.
struct RequestStatus {
    let state: RequestStateMachine.State
    /// The generation of the operation under way.
    let generation: Int
    let attempt: CurrentAttempt
    /// Whether the exchange has the head of its response.
    let hasHead: Bool
    /// The number of bytes of the body that the exchange has received, before decoding.
    let receivedBytes: Int64
    let exchange: (any TransportExchange)?

    /// Returns the phase as snapshots show it.
    ///
    /// - Parameter wait: The wait of the exchange.
    func displayedPhase(during wait: HTTPRequest.Wait?) -> HTTPClient.Snapshot.ActiveRequest.Phase {
        switch state {
        case .idle, .queued, .adapting: .preparing
        case .exchanging where wait?.place.isPermit == true: .waitingForPermit
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

    /// Returns the wait of a request with this status.
    ///
    /// - Parameters:
    ///   - running: The wait if the request is running.
    ///   - age: The time since the first demand, at which the request was enqueued.
    func wait(ofRunning running: HTTPRequest.Wait?, age: Duration) -> HTTPRequest.Wait? {
        switch self {
        case .waiting: HTTPRequest.Wait(.slot, elapsed: age)
        case .running: running
        case .ending: nil
        }
    }
}

extension RequestSubscription {
    func add(to snapshot: inout HTTPClient.Snapshot, _ queueStatus: RequestQueue.Status, now: Duration) {
        let (status, start) = self.status
        guard let request = status.attempt.unadaptedRequest ?? (try? plan.request.get()) else { return }
        let summary = request.summary(plan.redaction)
        let (age, wait) = (max(now - start, .zero), status.exchange?.wait)
        // Each cast costs more than the rest of the row.
        let cached = plan.hasCache ? status.exchange as? CachedExchange : nil
        let exchange = cached?.server ?? status.exchange
        snapshot.requests.append(
            HTTPClient.Snapshot.ActiveRequest(
                callSite: callSite, method: summary.method, url: summary.url, origin: request.lazyURL.origin, path: nil,
                phase: queueStatus.phase(ofRunning: status.displayedPhase(during: wait)),
                wait: queueStatus.wait(ofRunning: wait, age: age), age: age, attempt: status.attempt.number,
                hedges: (exchange as? HedgedExchange)?.hedges ?? 0, sentBytes: status.attempt.sentBytes,
                receivedBytes: status.receivedBytes))
    }

    /// Fails the request because its total timeout has expired.
    func expire() {
        let (status, start) = self.status
        // Outside of the request's lock: the exchange may be that of a program's transport.
        let wait =
            if case .queued = status.state {
                HTTPRequest.Wait(.slot, elapsed: max(plan.clock.now - start, .zero))
            } else {
                status.exchange?.wait
            }
        expire(during: wait, generation: status.generation)
    }
}
