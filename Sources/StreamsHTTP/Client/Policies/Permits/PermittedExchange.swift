/// An exchange that starts when it has a permit, and returns the permit when it ends.
final class PermittedExchange: PolicyExchange, TransportReceiver {
    private enum Phase {
        /// The exchange waits, under a number as soon as that is known.
        case waiting(Int?)
        /// The transport starts the exchange.
        case starting
        case running(any TransportExchange)
        case ended
        case aborted
    }

    private struct State {
        var phase = Phase.waiting(nil)
        /// The permit, until it is returned.
        var permit: Permit?
        /// The period of a permit whose outcome has been reported. A failure of the body is reported to it.
        var reportedPeriod: CircuitState.Period?
        /// The status of the head; `nil` before it.
        var status: HTTPStatus?
        /// The number of bytes to allow the exchange when it has started.
        var bytesToAllow = 0
    }

    private let request: TransportRequest
    private let transport: any HTTPTransport
    private let permits: OriginPermits
    private let receiver: any PolicyReceiver
    private let state = Locked(State())

    init(
        _ request: TransportRequest, on transport: any HTTPTransport, permits: OriginPermits,
        delivering receiver: any PolicyReceiver
    ) {
        self.request = request
        self.transport = transport
        self.permits = permits
        self.receiver = receiver
    }

    /// The wait for the permit, and then that of the exchange.
    var wait: HTTPRequest.Wait? {
        // Outside of the lock: the exchange may be that of a program's transport.
        switch state.withLock({ $0.phase }) {
        case .waiting(let id?): permits.wait(of: id)
        case .running(let exchange): exchange.wait
        case .waiting, .starting, .ended, .aborted: nil
        }
    }
}

// MARK: The start

extension PermittedExchange {
    func start(_ admission: OriginPermitState.Admission, now: Duration) {
        switch admission {
        case .answered(let answer): receive(answer, after: HTTPRequest.Metrics.Waits())
        case .waiting(let id):
            state.withLock { if case .waiting = $0.phase { $0.phase = .waiting(id) } }
            permits.setTimer(now: now)
        }
    }

    /// Sends the exchange if it has a permit, and fails it otherwise.
    func receive(_ answer: OriginPermitState.Answer, after waits: HTTPRequest.Metrics.Waits) {
        switch answer {
        case .granted(let permit): begin(with: permit, after: waits)
        case .refused(let refusal): fail(refusal, after: waits)
        }
    }

    private func begin(with permit: Permit, after waits: HTTPRequest.Metrics.Waits) {
        let isWanted = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .starting
            state.permit = permit
            return true
        }
        guard isWanted else { return permits.release(permit, isFailure: nil) }
        if !waits.isEmpty { receiver.receive(waits) }
        let exchange = transport.start(request, delivering: self)
        let (bytesToAllow, isAborted) = state.withLock { state in
            switch state.phase {
            case .starting:
                state.phase = .running(exchange)
                return (state.bytesToAllow, false)
            case .aborted: return (0, true)
            case .waiting, .running, .ended: return (0, false)
            }
        }
        if bytesToAllow > 0 { exchange.allow(bytes: bytesToAllow) }
        if isAborted { exchange.abort() }
    }

    private func fail(_ refusal: HTTPError.Connection, after waits: HTTPRequest.Metrics.Waits) {
        let isWanted = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .ended
            return true
        }
        guard isWanted else { return }
        if !waits.isEmpty { receiver.receive(waits) }
        receiver.receive(.failed(TransportFailure(.connection(refusal))))
    }
}

// MARK: Events

extension PermittedExchange {
    func receive(_ event: TransportEvent) {
        switch event {
        case .head(let head): receive(head)
        case .finished: end(nil)
        case .failed(let failure): end(.failure(failure.reason))
        case .connected, .sent, .chunk, .trailers, .metrics: break
        }
        receiver.receive(event)
    }

    private func receive(_ head: HTTPResponse<Void>) {
        // A response that is delivered in pieces may have no end, so its head is its outcome.
        let isOutcome = request.usesBackpressure && permits.policies.circuitBreaker != nil
        let period = state.withLock { state -> CircuitState.Period? in
            state.status = head.status
            guard isOutcome, let period = state.permit?.period else { return nil }
            state.permit?.period = nil
            state.reportedPeriod = period
            return period
        }
        if let period, let isFailure = isFailure(.response(head.status)) {
            permits.report(period, isFailure: isFailure)
        }
        if permits.policies.rateLimit != nil, let quota = RequestQuota(head, now: permits.clock.date) {
            permits.apply(quota)
        }
    }

    /// Ends the exchange and returns its permit.
    ///
    /// - Parameter failure: The failure; `nil` if the response is complete, or received as far as it is wanted.
    private func end(_ failure: CircuitBreaker.Outcome?) {
        guard let (permit, status, reportedPeriod) = state.withLock({ Self.end(&$0, .ended) }) else { return }
        release(permit, status, reportedPeriod, failure)
    }

    private static func end(_ state: inout State, _ phase: Phase) -> (Permit, HTTPStatus?, CircuitState.Period?)? {
        state.phase = phase
        return state.permit.take().map { ($0, state.status, state.reportedPeriod) }
    }

    private func release(
        _ permit: Permit, _ status: HTTPStatus?, _ reportedPeriod: CircuitState.Period?,
        _ failure: CircuitBreaker.Outcome?
    ) {
        var permit = permit
        var isFailure: Bool?
        if permits.policies.circuitBreaker != nil {
            isFailure = (failure ?? status.map { .response($0) }).flatMap { self.isFailure($0) }
            // The head was the outcome, unless the rest fails.
            if reportedPeriod != nil, failure != nil, isFailure == true { permit.period = reportedPeriod }
        }
        permits.release(permit, isFailure: isFailure)
    }

    /// Returns whether an outcome is a failure of the server; `nil` without a breaker.
    private func isFailure(_ outcome: CircuitBreaker.Outcome) -> Bool? {
        permits.policies.circuitBreaker.map { $0.isFailure(outcome) }
    }
}

// MARK: The end by the client

extension PermittedExchange {
    func allow(bytes: Int) {
        let exchange = state.withLock { state -> (any TransportExchange)? in
            if case .running(let exchange) = state.phase { return exchange }
            state.bytesToAllow += bytes
            return nil
        }
        exchange?.allow(bytes: bytes)
    }

    func abort() {
        abort(nil)
    }

    func expire() {
        abort(.failure(.timeout(.total)))
    }

    private func abort(_ failure: CircuitBreaker.Outcome?) {
        let (phase, held) = state.withLock { state in (state.phase, Self.end(&state, .aborted)) }
        switch phase {
        case .waiting(let id?):
            if let waits = permits.cancel(id), !waits.isEmpty { receiver.receive(waits) }
        case .running(let exchange): exchange.abort()
        case .waiting, .starting, .ended, .aborted: break
        }
        if let (permit, status, reportedPeriod) = held { release(permit, status, reportedPeriod, failure) }
    }
}

/// An exchange that the policies of a client act on.
protocol PolicyExchange: TransportExchange {
    /// Ends the exchange because the total timeout has expired, which is a failure of the server.
    func expire()
}

/// A receiver of the events of an exchange, and of what policies did to it.
protocol PolicyReceiver: TransportReceiver {
    /// Receives the time that the exchange has waited, before its first event. Called only if that is not zero.
    func receive(_ waits: HTTPRequest.Metrics.Waits)
    /// Receives the copies of the exchange, each time that one has been sent or that one has been chosen.
    func receive(_ hedging: HTTPRequest.Metrics.Hedging)
}
