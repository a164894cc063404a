/// An exchange that consists of copies of a request: as long as none has a head, further ones are sent.
///
/// Inputs of all threads pass through a serial drain. The draining thread owns the copies, and calls the receiver.
// Safe because the drain makes all access to the mutable state serial, and a lock guards the status.
final class HedgedExchange: PolicyExchange, @unchecked Sendable {
    fileprivate enum Input {
        case start
        case event(TransportEvent, copy: Int)
        case waits(HTTPRequest.Metrics.Waits, copy: Int)
        case delayElapsed
        case allow(bytes: Int)
        case abort(isExpired: Bool)
    }

    /// A copy of the request, which is under way.
    private struct Copy {
        var exchange: (any TransportExchange)?
        /// The copy's connection, until the copy is chosen.
        var connection: TransportEvent?
    }

    /// The state that other threads read.
    private struct Status {
        /// The first copy that is under way.
        var first: (any TransportExchange)?
        var hedges = 0
    }

    private let request: TransportRequest
    private let policy: HedgingPolicy
    private let plan: RequestPlan
    private let drain = SerialDrain<Input>()
    private let status = Locked(Status())

    // Owned by the draining thread.
    /// The receiver, until the end.
    @exclusivity(unchecked) private var receiver: (any PolicyReceiver)?
    /// The copies by their numbers; `nil` for those that are no longer under way.
    @exclusivity(unchecked) private var copies: [Copy?] = []
    @exclusivity(unchecked) private var hedging = HTTPRequest.Metrics.Hedging()
    @exclusivity(unchecked) private var timer: (any Cancellable & Sendable)?
    /// Whether the time of the next copy has come while the latest one still waits for its permits.
    @exclusivity(unchecked) private var isDelayed = false

    /// Creates an exchange of copies, each of which needs the permits of the plan's client.
    init(
        _ request: TransportRequest, _ policy: HedgingPolicy, plan: RequestPlan,
        delivering receiver: any PolicyReceiver
    ) {
        self.request = request
        self.policy = policy
        self.plan = plan
        self.receiver = receiver
    }

    /// Sends the first copy.
    func start() {
        submit(.start)
    }

    /// The wait of the first copy that is under way.
    var wait: HTTPRequest.Wait? { status.withLock { $0.first }?.wait }

    /// The number of further copies that were sent.
    var hedges: Int { status.withLock { $0.hedges } }

    func allow(bytes: Int) {
        submit(.allow(bytes: bytes))
    }

    func abort() {
        submit(.abort(isExpired: false))
    }

    func expire() {
        submit(.abort(isExpired: true))
    }

    fileprivate func submit(_ input: Input) {
        drain.submit(input, handle)
    }
}

/// Passes the events of one copy to the exchange.
private struct CopyReceiver: PolicyReceiver {
    let exchange: HedgedExchange
    let number: Int

    func receive(_ event: TransportEvent) {
        exchange.submit(.event(event, copy: number))
    }

    func receive(_ waits: HTTPRequest.Metrics.Waits) {
        exchange.submit(.waits(waits, copy: number))
    }

    /// A copy is not hedged itself.
    func receive(_ hedging: HTTPRequest.Metrics.Hedging) {}
}

// MARK: The draining thread

extension HedgedExchange {
    private func handle(_ input: Input) {
        guard receiver != nil else { return }
        switch input {
        case .start: sendCopy()
        case .event(let event, let number): receive(event, from: number)
        case .waits(let waits, let number): receive(waits, of: number)
        case .delayElapsed: hedge()
        // Bytes are allowed after a chunk, so a copy has been chosen by then.
        case .allow(let bytes): if let winner = hedging.winner { copies[winner]?.exchange?.allow(bytes: bytes) }
        case .abort(let isExpired): end(isExpired: isExpired)
        }
    }

    /// Sends a copy, and waits for the time of the next one.
    private func sendCopy() {
        let number = copies.count
        copies.append(Copy())
        let exchange = plan.startCopy(request, delivering: CopyReceiver(exchange: self, number: number))
        copies[number]?.exchange = exchange
        if number == 0 { status.withLock { $0.first = exchange } }
        if number < policy.maxHedges { waitForNext() }
    }

    private func waitForNext() {
        timer = plan.clock.schedule(max(policy.delay, .zero)) { [weak self] in self?.submit(.delayElapsed) }
    }

    /// Sends another copy, if the latest one has been sent and the budget allows it.
    private func hedge() {
        timer = nil
        guard hedging.winner == nil else { return }
        isDelayed = copies[hedging.hedges]?.exchange?.wait?.place.isPermit == true
        guard !isDelayed, plan.consumesHedge() else { return }
        hedging.hedges += 1
        status.withLock { $0.hedges = hedging.hedges }
        receiver?.receive(hedging)
        sendCopy()
    }

    /// Receives the time that a copy has waited for its permits. It is about to be sent, or has been refused.
    private func receive(_ waits: HTTPRequest.Metrics.Waits, of number: Int) {
        if number == 0 { receiver?.receive(waits) }
        guard isDelayed, number == hedging.hedges else { return }
        isDelayed = false
        waitForNext()
    }

    private func end(isExpired: Bool) {
        receiver = nil
        timer.take()?.cancel()
        let copies = exchange(&copies, with: [])
        status.withLock { $0.first = nil }
        for case let copy? in copies {
            if isExpired, let exchange = copy.exchange as? any PolicyExchange {
                exchange.expire()
            } else {
                copy.exchange?.abort()
            }
        }
    }
}

// MARK: Events

extension HedgedExchange {
    private func receive(_ event: TransportEvent, from number: Int) {
        guard copies[number] != nil else { return }
        guard hedging.winner == nil else { return deliver(event) }
        switch event {
        case .head(let head) where hasAlternative && head.status.isRefusal: abort(number)
        case .head: choose(number, event)
        case .failed where hasAlternative: remove(number)
        case .failed, .finished: deliver(event)
        case .connected where number > 0: copies[number]?.connection = event
        case .metrics: if !hasAlternative { deliver(event) }
        // The progress of the first copy stands for all of them.
        case .connected, .sent, .chunk, .trailers: if number == 0 { deliver(event) }
        }
    }

    /// Delivers an event of the copy that is the exchange.
    private func deliver(_ event: TransportEvent) {
        switch event {
        case .finished, .failed:
            let receiver = receiver
            copies = []
            end(isExpired: false)
            receiver?.receive(event)
        case .connected, .sent, .head, .chunk, .trailers, .metrics:
            receiver?.receive(event)
        }
    }

    /// Makes the copy whose head has arrived the exchange.
    private func choose(_ number: Int, _ head: TransportEvent) {
        hedging.winner = number
        timer.take()?.cancel()
        for other in copies.indices where other != number { abort(other) }
        if hedging.hedges > 0 { receiver?.receive(hedging) }
        if let connection = copies[number]?.connection { deliver(connection) }
        deliver(head)
    }

    private func abort(_ number: Int) {
        remove(number)?.abort()
    }

    /// Removes a copy from those under way.
    @discardableResult
    private func remove(_ number: Int) -> (any TransportExchange)? {
        let removed = copies[number].take()?.exchange
        let first = copies.lazy.compactMap { $0?.exchange }.first
        status.withLock { $0.first = first }
        return removed
    }

    /// Whether more than one copy is under way.
    private var hasAlternative: Bool { copies.count { $0 != nil } > 1 }
}

extension HTTPStatus {
    /// Whether another copy of the request may get a better response.
    fileprivate var isRefusal: Bool { isServerError || self == .tooManyRequests }
}
