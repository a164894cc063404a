/// One subscription's life as a value: attempts, redirects, retries and limits, decided without a thread or a socket.
///
/// Every input returns what is to be done outside of the lock that guards this.
struct ExchangeMachine {
    /// What an input asks to be done, in this order.
    struct Effects {
        var abort: (any TransportExchange)?
        /// Whether the client is to be asked for a turn.
        var enters = false
        var start: TransportRequest?
        var grant: Int = 0
        var wait: Duration?
        var deadline: Duration?
        /// What is no longer needed, and may run its owner's code when it is released.
        var released: [Any] = []
    }

    /// How a head was judged, by rules that may be the user's and so run outside of the lock.
    enum Verdict {
        case acceptable
        case unacceptable
    }

    private enum Phase {
        case idle
        /// Waiting for its turn among the client's requests.
        case queued
        /// Sending, up to the head.
        case sending
        /// The body goes to the subscriber.
        case delivering(HTTPResponse<Void>)
        /// The body is collected for the response.
        case collecting(HTTPResponse<Void>)
        /// The body is collected for an error.
        case failing(HTTPResponse<Void>)
        /// The body of a redirect goes nowhere.
        case redirecting(TransportRequest, discarded: Int)
        case waiting
        case over
    }

    /// How much of a body that nobody wants is read for the sake of its connection.
    private static let discardLimit = 64 * 1024

    private let plan: RequestPlan
    private(set) var outbox = EventOutbox()
    private var phase = Phase.idle
    private var attempt = 0
    private var request: TransportRequest?
    private var redirects: [URL] = []
    private(set) var exchange: (any TransportExchange)?
    /// Tells the exchange that is under way from those before it.
    private(set) var hop = 0
    private var ungranted = 0
    private var body = Data()
    private var bodySize = 0
    private var received: Int64 = 0
    private var hasDelivered = false
    private var uploadGate: ProgressGate
    private var downloadGate: ProgressGate

    init(_ plan: RequestPlan) {
        self.plan = plan
        uploadGate = ProgressGate(plan.granularity)
        downloadGate = ProgressGate(plan.granularity)
    }

    var isOver: Bool { if case .over = phase { true } else { false } }
}

// MARK: From the subscriber

extension ExchangeMachine {
    mutating func request(_ demand: Subscribers.Demand) -> Effects {
        // Also where the exchange is over: what it has brought may still wait to be asked for.
        outbox.request(demand)
        guard case .idle = phase, demand > .none else { return Effects() }
        var effects = Effects()
        if case .failure = plan.request {
            startAttempt(&effects)
            return effects
        }
        effects.deadline = plan.options.timeouts?.total
        effects.enters = true
        phase = .queued
        return effects
    }

    /// The next thing for the subscriber, and what delivering it sets free.
    mutating func nextDelivery() -> (EventOutbox.Delivery, Effects)? {
        guard let delivery = outbox.next() else { return nil }
        var effects = Effects()
        if case .event(.chunk(let chunk)) = delivery { grant(chunk.count, &effects) }
        return (delivery, effects)
    }

    mutating func cancel() -> Effects {
        var effects = Effects()
        effects.released.append(outbox)
        outbox = EventOutbox()
        stop(&effects)
        return effects
    }
}

// MARK: From the client

extension ExchangeMachine {
    /// Its turn has come.
    mutating func begin() -> Effects {
        var effects = Effects()
        guard case .queued = phase else { return effects }
        startAttempt(&effects)
        return effects
    }

    /// The client takes no requests any more.
    mutating func refuse() -> Effects {
        var effects = Effects()
        guard case .queued = phase else { return effects }
        fail(.shutDown, &effects)
        return effects
    }

    /// The client gives it up: what has not been delivered is not.
    mutating func abandon() -> Effects {
        let failure = error(.cancelled)
        let effects = cancel()
        outbox.complete(.failure(failure))
        return effects
    }
}

// MARK: From the transport and the clock

extension ExchangeMachine {
    /// Takes in the handle of an exchange that was started.
    ///
    /// - Returns: Whether it is still wanted.
    mutating func attach(_ exchange: any TransportExchange, hop: Int) -> Effects? {
        guard hop == self.hop, !isOver else { return nil }
        self.exchange = exchange
        var effects = Effects()
        effects.grant = ungranted
        ungranted = 0
        return effects
    }

    mutating func receive(_ event: TransportEvent, verdict: Verdict?, hop: Int) -> Effects {
        var effects = Effects()
        guard hop == self.hop, !isOver else { return effects }
        switch event {
        case .sent(let count, let total):
            // A server may answer before it has read the body, and what is sent behind the head is of no interest.
            guard case .sending = phase else { break }
            let progress = TransferProgress(completed: count, total: total)
            if let progress = uploadGate.admit(progress) { outbox.set(upload: progress) }
        case .head(let head):
            receive(head, verdict ?? .acceptable, &effects)
        case .chunk(let chunk, let received):
            receive(chunk, received: received, &effects)
        case .finished:
            finish(&effects)
        case .failed(let failure):
            exchange = nil
            retryOrFail(error(failure.reason, underlying: failure.underlying), &effects)
        }
        return effects
    }

    /// The wait before a retry is over.
    mutating func resume() -> Effects {
        var effects = Effects()
        guard case .waiting = phase else { return effects }
        startAttempt(&effects)
        return effects
    }

    /// The time for everything is up.
    mutating func expire() -> Effects {
        var effects = Effects()
        guard !isOver else { return effects }
        fail(.timeout(.total), &effects)
        return effects
    }
}

// MARK: Steps

extension ExchangeMachine {
    private mutating func startAttempt(_ effects: inout Effects) {
        switch plan.request {
        case .success(let request):
            attempt += 1
            redirects = []
            uploadGate = ProgressGate(plan.granularity)
            outbox.append(.attempt(RequestAttempt(number: attempt, method: request.method, url: request.url)))
            start(request, &effects)
        case .failure(let error):
            phase = .over
            outbox.complete(.failure(error))
        }
    }

    private mutating func start(_ request: TransportRequest, _ effects: inout Effects) {
        self.request = request
        exchange = nil
        hop += 1
        ungranted = 0
        body = Data()
        bodySize = 0
        received = 0
        downloadGate = ProgressGate(plan.granularity)
        phase = .sending
        effects.start = request
    }

    private mutating func receive(_ head: HTTPResponse<Void>, _ verdict: Verdict, _ effects: inout Effects) {
        guard case .sending = phase, let request else { return }
        let head = head.addingRedirects(redirects)
        do throws(HTTPError.Reason) {
            let policy = plan.options.redirects ?? .follow
            if let next = try policy.next(after: head, to: request, count: redirects.count) {
                redirects.append(request.url)
                phase = .redirecting(next, discarded: 0)
                if let length = head.declaredLength, length > Self.discardLimit { redirectNow(next, &effects) }
                return
            }
        } catch {
            return fail(error, &effects)
        }
        outbox.append(.head(head))
        if verdict == .unacceptable || wouldRetry(head) {
            phase = .failing(head)
        } else if plan.bodyUse == .collect {
            phase = .collecting(head)
            let expected = min(head.declaredLength ?? 0, Int64(plan.maxBodySize ?? 0), 1 << 20)
            body.reserveCapacity(Int(expected))
        } else {
            phase = .delivering(head)
        }
    }

    private mutating func receive(_ chunk: Data, received: Int64, _ effects: inout Effects) {
        self.received = received
        bodySize += chunk.count
        switch phase {
        case .delivering(let head):
            if let limit = plan.maxBodySize, bodySize > limit { return fail(.bodyTooLarge(limit: limit), &effects) }
            hasDelivered = true
            outbox.append(chunk: chunk)
            tellDownload(head, isFinal: false)
        case .collecting(let head):
            if let limit = plan.maxBodySize, bodySize > limit { return fail(.bodyTooLarge(limit: limit), &effects) }
            body.append(chunk)
            tellDownload(head, isFinal: false)
            grant(chunk.count, &effects)
        case .failing:
            // An error is worth telling also where its body is too large: it keeps as much as the limit allows.
            let room = plan.maxErrorBodySize - body.count
            body.append(chunk.prefix(room))
            if chunk.count > room { return finishEarly(&effects) }
            grant(chunk.count, &effects)
        case .redirecting(let next, let discarded):
            let discarded = discarded + chunk.count
            phase = .redirecting(next, discarded: discarded)
            if discarded > Self.discardLimit { return redirectNow(next, &effects) }
            grant(chunk.count, &effects)
        case .idle, .queued, .sending, .waiting, .over:
            break
        }
    }

    private mutating func finish(_ effects: inout Effects) {
        exchange = nil
        switch phase {
        case .delivering(let head), .collecting(let head):
            tellDownload(head, isFinal: true)
            outbox.append(.response(head.replacingBody(body)))
            phase = .over
            outbox.complete(.finished)
        case .failing(let head):
            let reason = HTTPError.Reason.status(head.replacingBody(body))
            retryOrFail(error(reason), &effects)
        case .redirecting(let next, _):
            start(next, &effects)
        case .idle, .queued, .sending, .waiting, .over:
            break
        }
    }

    /// Does without the rest of a body.
    private mutating func finishEarly(_ effects: inout Effects) {
        effects.abort = exchange
        finish(&effects)
    }

    private mutating func redirectNow(_ next: TransportRequest, _ effects: inout Effects) {
        effects.abort = exchange
        start(next, &effects)
    }

    private mutating func tellDownload(_ head: HTTPResponse<Void>, isFinal: Bool) {
        let total = head.contentLength(inAnswerTo: request?.method ?? .get)
        if isFinal, received == 0, total == nil { return }
        let progress = TransferProgress(completed: received, total: total, decoded: Int64(bodySize))
        if let progress = downloadGate.admit(progress, isFinal: isFinal) { outbox.set(download: progress) }
    }

    private mutating func grant(_ bytes: Int, _ effects: inout Effects) {
        if exchange == nil { ungranted += bytes } else { effects.grant = bytes }
    }

    /// Whether a response that would do otherwise is one to try again for.
    private func wouldRetry(_ head: HTTPResponse<Void>) -> Bool {
        guard let request, let policy = plan.options.retry else { return false }
        return policy.delay(after: error(.status(head.replacingBody(Data()))), of: request, now: Date(), random: 0)
            != nil
    }

    private mutating func retryOrFail(_ error: HTTPError, _ effects: inout Effects) {
        guard !hasDelivered, let policy = plan.options.retry, case .success(let request) = plan.request,
            let delay = policy.delay(after: error, of: request, now: Date(), random: .random(in: 0...1))
        else { return fail(error, &effects) }
        hop += 1
        phase = .waiting
        outbox.append(.retrying(RequestRetry(delay: delay, error: error)))
        effects.wait = delay
    }

    private mutating func fail(_ reason: HTTPError.Reason, _ effects: inout Effects) {
        fail(error(reason), &effects)
    }

    private mutating func fail(_ error: HTTPError, _ effects: inout Effects) {
        outbox.complete(.failure(error))
        stop(&effects)
    }

    private mutating func stop(_ effects: inout Effects) {
        effects.abort = exchange ?? effects.abort
        exchange = nil
        hop += 1
        phase = .over
        body = Data()
    }

    /// An error of the request as it stands.
    func error(_ reason: HTTPError.Reason, underlying: HTTPError.Underlying? = nil) -> HTTPError {
        HTTPError(
            reason, request: summary, attempt: max(attempt, 1), redirects: redirects, underlying: underlying)
    }

    private var summary: HTTPError.RequestSummary {
        request?.summary ?? plan.summary
    }
}

extension HTTPResponse where Body == Void {
    fileprivate func addingRedirects(_ redirects: [URL]) -> HTTPResponse<Void> {
        guard !redirects.isEmpty else { return self }
        return HTTPResponse(
            status: status, headers: headers, body: (), url: url, redirects: redirects, version: version)
    }
}

extension RequestPlan {
    fileprivate var granularity: ProgressGranularity { options.progress ?? .fraction(0.01) }
}
