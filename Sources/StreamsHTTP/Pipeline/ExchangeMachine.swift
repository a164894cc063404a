/// One subscription's life as a value: attempts, redirects, retries and limits, decided without a thread or a socket.
///
/// Every input returns what is to be done outside of the lock that guards this. What is the user's to decide is asked
/// for by an ``Inquiry``, whose answer comes back as an input. What comes late, of an exchange or an inquiry that has
/// been given up, is told by its hop and ignored.
struct ExchangeMachine {
    /// What an input asks to be done, in this order.
    struct Effects {
        /// The exchange that is done with. What it does when it is released is somebody else's.
        var exchange: (any TransportExchange)?
        /// Whether that is to be aborted.
        var aborts = false
        /// Whether the inquiry under way is given up.
        var endsInquiry = false
        /// Whether the client is to be asked for a turn.
        var enters = false
        /// Whether the request is to be handed to the transport.
        var starts = false
        var inquiry: Inquiry?
        /// Whether this is the beginning of it all.
        var begins = false
        var grant: Grant?
        var wait: Duration?
        var deadline: Duration?
        /// What is no longer needed, and may run its owner's code when it is released.
        var released: [Any] = []
    }

    /// So many more bytes that an exchange may bring.
    struct Grant {
        let exchange: any TransportExchange
        var bytes: Int
    }

    /// How a head was judged, by rules that may be the user's and so run outside of the lock.
    enum Verdict {
        case acceptable
        /// It would do, were it not one that another attempt is to be made for.
        case repeatable
        case unacceptable
    }

    enum Phase {
        case idle
        /// Waiting for its turn among the client's requests.
        case queued
        /// The interceptors have the request.
        case adapting
        /// Sending, up to the head.
        case sending
        /// The body goes to the subscriber, but for bytes that it has already.
        case delivering(HTTPResponse<Void>, skipping: Int)
        /// The body is collected for the response.
        case collecting(HTTPResponse<Void>)
        /// The response is complete, and is being looked at.
        indirect case validating(HTTPResponse<Data>)
        /// The body is collected for an error, which it need not be where there is no other attempt.
        case failing(HTTPResponse<Void>, isAcceptable: Bool)
        /// The body of a redirect goes nowhere.
        indirect case redirecting(TransportRequest, discarded: Int)
        /// It is being decided whether there is another attempt; where there is none, there may be a response that will
        /// do.
        indirect case considering(HTTPError, HTTPResponse<Data>?)
        case waiting
        /// Another attempt is due, and the subscriber has not got so far: whatever it leaves behind would pile up.
        case held
        /// The interceptors are asked for a response in place of the error.
        indirect case recovering(HTTPError)
        case over
    }

    let plan: RequestPlan
    /// Whether there are interceptors, to ask and to tell.
    let isIntercepted: Bool
    private let id: Int
    var outbox: EventOutbox
    var phase = Phase.idle
    var attempt = 0
    /// How many attempts there were by the policy's decision.
    var retries = 0
    var request: TransportRequest?
    var redirects: [URL] = []
    var exchange: (any TransportExchange)?
    /// Tells the exchange or the inquiry that is under way from those before it.
    var hop = 0
    var ungranted = 0
    var body = Data()
    /// Whether that is a chunk as it came.
    var isBodyBorrowed = false
    /// The bytes of the body that have come in this exchange, decoded.
    var bodySize = 0
    /// The bytes of the body that have come in this exchange, on the wire.
    var received: Int64 = 0
    /// The bytes that have gone to the subscriber, of all attempts.
    var delivered = 0
    /// Where in the whole body this exchange's begins.
    var bodyStart = 0
    /// What it takes to continue a body that breaks off.
    var resumption: Resumption?
    /// Whether the subscriber has the head of a response in this attempt.
    var hasHead = false
    var uploadGate: ProgressGate
    var downloadGate: ProgressGate
    private var notices: [(ObservedEvent, RequestContext)] = []

    init(_ plan: RequestPlan, id: Int, isIntercepted: Bool, interest: EventInterest) {
        self.plan = plan
        outbox = EventOutbox(interest)
        self.isIntercepted = isIntercepted
        self.id = id
        uploadGate = ProgressGate(plan.granularity)
        downloadGate = ProgressGate(plan.granularity)
    }

    var isOver: Bool { if case .over = phase { true } else { false } }
}

// MARK: From the subscriber and the clock

extension ExchangeMachine {
    mutating func request(_ demand: Subscribers.Demand) -> Effects {
        // Also where the exchange is over: what it has brought may still wait to be asked for.
        outbox.request(demand)
        guard case .idle = phase, demand > .none else { return Effects() }
        var effects = Effects()
        effects.begins = true
        if case .failure = plan.request {
            startAttempt(&effects)
            return effects
        }
        effects.deadline = plan.options.timeouts?.total
        effects.enters = true
        phase = .queued
        return effects
    }

    /// The next thing for the subscriber, and how many bytes delivering it sets free.
    mutating func nextDelivery() -> (EventOutbox.Delivery, grant: Grant?)? {
        guard let delivery = outbox.next() else { return nil }
        guard case .event(.chunk(let chunk)) = delivery else { return (delivery, nil) }
        var effects = Effects()
        grant(chunk.count, &effects)
        return (delivery, effects.grant)
    }

    mutating func cancel() -> Effects {
        var effects = Effects()
        effects.released.append(outbox)
        outbox = EventOutbox(outbox.interest)
        if case .idle = phase {} else if !isOver { note(.cancelled) }
        stop(&effects)
        return effects
    }

    /// The wait before a retry is over.
    mutating func resume() -> Effects {
        var effects = Effects()
        guard case .waiting = phase else { return effects }
        continueAttempts(&effects)
        return effects
    }

    /// Whether an attempt has been waiting for the subscriber, and need not any longer.
    var isReleased: Bool { if case .held = phase { !outbox.isBehind } else { false } }

    /// The subscriber has got so far that there may be another attempt.
    mutating func release() -> Effects {
        var effects = Effects()
        guard isReleased else { return effects }
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

// MARK: Ends

extension ExchangeMachine {
    mutating func fail(_ reason: HTTPError.Reason, _ effects: inout Effects) {
        fail(error(reason), &effects)
    }

    mutating func fail(_ error: HTTPError, _ effects: inout Effects) {
        note(.failed(error))
        outbox.complete(.failure(error))
        stop(&effects)
    }

    mutating func complete(_ response: HTTPResponse<Data>) {
        note(.finished(response.replacingBody(())))
        phase = .over
        outbox.complete(with: response)
    }

    private mutating func stop(_ effects: inout Effects) {
        if let exchange = exchange.take() {
            effects.exchange = exchange
            effects.aborts = true
        }
        effects.endsInquiry = true
        hop += 1
        // It may have a body.
        effects.released.append(phase)
        phase = .over
        dropBody(&effects)
    }

    /// An error of the request as it stands.
    func error(_ reason: HTTPError.Reason, underlying: HTTPError.Underlying? = nil) -> HTTPError {
        HTTPError(
            reason, request: summary, attempt: max(attempt, 1), redirects: redirects, underlying: underlying)
    }

    /// What was asked for as an error may show it: what interceptors made of it may contain their secrets.
    private var summary: HTTPError.RequestSummary {
        redirects.isEmpty ? plan.summary : request?.summary ?? plan.summary
    }

    /// Where the request under way goes, as an error may show it.
    func shownURL(of request: TransportRequest) -> URL {
        if redirects.isEmpty, case .success(let planned) = plan.request { planned.url } else { request.url }
    }
}

// MARK: Observation

extension ExchangeMachine {
    /// Takes down what interceptors are told of.
    mutating func note(_ event: @autoclosure () -> ObservedEvent) {
        guard isIntercepted, let context else { return }
        notices.append((event(), context))
    }

    var hasNotices: Bool { !notices.isEmpty }

    mutating func takeNotices() -> [(ObservedEvent, RequestContext)] {
        defer { notices = [] }
        return notices
    }

    /// What an interceptor may know; `nil` where there is no request.
    var context: RequestContext? {
        guard case .success(let planned) = plan.request else { return nil }
        return RequestContext(
            id: id, request: request ?? planned, attempt: max(attempt, 1), redirects: redirects, options: plan.options,
            isRepeatable: isRepeatable)
    }

    /// Whether another attempt does not do harm.
    var isRepeatable: Bool {
        guard case .success(let planned) = plan.request else { return false }
        return planned.body.isReplayable && (delivered == 0 || resumption != nil)
    }
}

extension RequestPlan {
    var granularity: ProgressGranularity { options.progress ?? .fraction(0.01) }
}
