/// The state machine of one request's attempts: queue, adaptation, redirects, retries, recovery and deadlines, without
/// threads or sockets. A ``ResponseReader`` reads the response of each exchange.
///
/// Every input adds its effects, which are performed outside of the lock that guards the state machine. The result of
/// an operation that an effect starts, such as an exchange or a call to user code, comes back as an ``Input``.
struct RequestStateMachine {
    let plan: RequestPlan
    var buffer: EventBuffer
    var reader: ResponseReader
    private var state = State.idle
    /// Distinguishes the operation under way from earlier ones.
    private(set) var generation = 0
    var attempt: CurrentAttempt
    /// The number of attempts that the policy decided on.
    var retries = 0
    /// The judgement on the head of the response under way.
    private(set) var validation = HeadValidation.unacceptable
    private var exchange: (any TransportExchange)?
    /// The number of bytes to allow the exchange when it has started.
    private var bytesToAllow = 0

    /// The time in which the body of a redirect is discarded, for its connection to be used again. It usually comes with
    /// the head.
    private static let redirectBodyTimeout = Duration.milliseconds(500)

    init(_ plan: RequestPlan, id: Int, filter: EventFilter) {
        self.plan = plan
        buffer = EventBuffer(filter)
        attempt = CurrentAttempt(plan, id: id)
        reader = ResponseReader(plan)
    }
}

// MARK: Operations

extension RequestStateMachine {
    /// The state at this moment, for snapshots.
    var status: RequestStatus {
        RequestStatus(
            state: state, generation: generation, attempt: attempt, hasHead: !reader.isAwaitingHead,
            receivedBytes: reader.received, exchange: exchange)
    }

    /// Whether there has been demand.
    var hasBegun: Bool { if case .idle = state { false } else { true } }

    /// Whether the operation of a generation is still under way.
    func isCurrent(_ generation: Int) -> Bool { generation == self.generation }

    mutating func handle(_ input: Input, generation: Int, _ effects: inout Effects) {
        guard isCurrent(generation) else {
            guard case .started(let exchange) = input else { return }
            effects.exchange = exchange
            effects.aborts = true
            return
        }
        switch input {
        case .admitted: startAttempt(&effects)
        case .rejected: fail(attempt.error(.invalidRequest(.clientShutDown)), &effects)
        case .started(let exchange):
            self.exchange = exchange
            allow(bytes: bytesToAllow, &effects)
            bytesToAllow = 0
        case .event(let event): receive(event, &effects)
        case .validatedHead(let validation):
            if case .validatingHead(let head) = state { read(head, validation, &effects) }
        case .decidedRedirect(let isFollowed):
            guard case .decidingRedirect(let head, let next) = state else { break }
            if isFollowed { follow(next, head, &effects) } else { fail(attempt.error(.redirect(.refused)), &effects) }
        case .validatedBody(true):
            if case .validatingBody(let response) = state { complete(response, &effects) }
        case .validatedBody(false):
            guard case .validatingBody(let response) = state else { break }
            decideOnRetry(attempt.error(.status(response)), &effects)
        case .adaptedResponse(.success(let response)):
            // Chunks cannot be taken back.
            deliver(reader.isReplaceable ? response : response.replacingBody(Data()), &effects)
        case .adaptedResponse(.failure(let failure)): decideOnRetry(attempt.error(failure), &effects)
        case .adapted(.success(let request)): send(request, &effects)
        case .adapted(.failure(let failure)): decideOnRetry(attempt.error(failure), &effects)
        case .decided(let decision, let byPolicy):
            guard case .deciding(let error, let fallback) = state else { break }
            end(error, fallback, by: decision, byPolicy: byPolicy, &effects)
        case .recovered(.success(let response?)): deliver(response, &effects)
        case .recovered(.success):
            if case .recovering(let error) = state { fail(error, &effects) }
        case .recovered(.failure(let failure)): fail(attempt.error(failure), &effects)
        case .waited:
            switch state {
            case .exchanging: abandonBody(after: plan.options.timeouts.errorBody, &effects)
            case .redirecting: abandonBody(after: Self.redirectBodyTimeout, &effects)
            default: continueAttempts(&effects)
            }
        }
    }

    /// Enters a state, and abandons the operation under way.
    mutating func enter(_ next: State, _ effects: inout Effects) {
        switch state {
        case .validatingBody, .deciding, .recovering:
            // The last reference to a body or to an error of an interceptor.
            effects.released.append(state)
        default: break
        }
        state = next
        generation += 1
    }
}

// MARK: From the subscriber, the client and the clock

extension RequestStateMachine {
    mutating func request(_ demand: Subscribers.Demand, _ effects: inout Effects) {
        // Even after the end: buffered events may still await demand.
        buffer.request(demand)
        guard case .idle = state, demand > .none else { return }
        effects.operation = .begin
        if case .failure(let error) = plan.request {
            state = .over
            buffer.complete(.failure(error))
        } else {
            state = .queued
        }
    }

    /// Handles the total timeout.
    ///
    /// - Parameter wait: The wait of the operation of a generation; `nil` if it does not wait.
    mutating func expire(during wait: HTTPRequest.Wait?, generation: Int, _ effects: inout Effects) {
        let wait = isCurrent(generation) && reader.isAwaitingHead ? wait : nil
        switch state {
        case .over: return
        case .queued: fail(attempt.error(.timeout(.queue.during(wait))), &effects)
        default:
            effects.isExpired = true
            if case .exchanging = state, case .unacceptable = validation, let response = reader.takeError() {
                return fail(attempt.error(.status(response)), &effects)
            }
            let timeout: HTTPError.Timeout = wait?.place.isPermit == true ? .permit : .total
            fail(attempt.error(.timeout(timeout.during(wait))), &effects)
        }
    }

    mutating func cancel(_ effects: inout Effects) {
        effects.released.append(buffer)
        buffer = EventBuffer(buffer.filter)
        stop(&effects)
    }

    /// Cancels the request for the client. Buffered events are dropped, and the completion is a failure, unless the
    /// completion alone is left to deliver: the response has been delivered then.
    mutating func cancelFromClient(_ effects: inout Effects) {
        guard !buffer.isAtCompletion else { return }
        let failure = attempt.error(.cancelled)
        cancel(&effects)
        buffer.complete(.failure(failure))
    }
}

// MARK: Delivery

extension RequestStateMachine {
    /// Whether ``nextDelivery()`` returns an item.
    var isReady: Bool { buffer.isReady }

    /// Returns the next item for the subscriber. Its delivery lets the exchange receive more, and starts an attempt
    /// that waited for demand.
    mutating func nextDelivery(_ effects: inout Effects) -> EventBuffer.Delivery? {
        guard let delivery = buffer.next() else { return nil }
        if case .event(.chunk(let chunk)) = delivery { allow(bytes: chunk.count, &effects) }
        if case .awaitingDemand = state { continueAttempts(&effects) }
        return delivery
    }

    private mutating func allow(bytes: Int, _ effects: inout Effects) {
        guard let exchange else { return bytesToAllow += bytes }
        if bytes > 0 { effects.allowance = Allowance(exchange: exchange, bytes: bytes) }
    }
}

// MARK: Attempts

extension RequestStateMachine {
    private mutating func startAttempt(_ effects: inout Effects) {
        guard case .success(let planned) = plan.request else { return }
        if let last = attempt.request { effects.released.append(last) }
        attempt.startNext()
        validation = .unacceptable
        reader.reset(&effects.released)
        buffer.append(step: .attempt(attempt.event(sending: planned)))
        prepare(planned, &effects)
    }

    /// Has the interceptors adapt a request: the first of an attempt, or one that a redirect leads to.
    mutating func prepare(_ request: TransportRequest, _ effects: inout Effects) {
        if let last = attempt.unadaptedRequest { effects.released.append(last) }
        attempt.unadaptedRequest = request
        guard plan.isIntercepted, let context else { return send(request, &effects) }
        enter(.adapting, &effects)
        effects.operation = .call(.adaptation(request, context))
    }

    /// Passes a request to the transport.
    private mutating func send(_ request: TransportRequest, _ effects: inout Effects) {
        if let last = attempt.request { effects.released.append(last) }
        attempt.send(request)
        enter(.exchanging, &effects)
        bytesToAllow = 0
        var request = request
        if attempt.usesNewConnections { request.requiresNewConnection = true }
        effects.operation = .send(request, attempt: attempt.number)
    }

    /// The context for interceptors; `nil` if there is no request.
    var context: HTTPRequest.Context? { attempt.context(isRepeatable: reader.isRepeatable) }

    /// Starts another attempt, now or once the subscriber has requested the earlier events.
    mutating func continueAttempts(_ effects: inout Effects) {
        if buffer.hasUnrequestedRetry { state = .awaitingDemand } else { startAttempt(&effects) }
    }
}

// MARK: Exchanges

extension RequestStateMachine {
    private mutating func receive(_ event: TransportEvent, _ effects: inout Effects) {
        switch event {
        case .sent(let count, let total):
            attempt.sentBytes = count
            // A server may respond before it has read the body. Upload progress after the head is ignored.
            guard reader.isAwaitingHead, buffer.includesProgress,
                let progress = attempt.admit(upload: TransferProgress(completed: count, total: total))
            else { return }
            buffer.set(upload: progress)
        case .head(let head):
            receive(head, &effects)
        case .chunk(let chunk, let received):
            // Subscribers may index from zero, even if a transport delivers a slice.
            let chunk = chunk.startIndex == 0 ? chunk : Data(chunk)
            switch reader.receive(chunk, received: received, &buffer, released: &effects.released) {
            case .allow(let bytes): allow(bytes: bytes, &effects)
            case .fail(let reason): fail(attempt.error(reason), &effects)
            case .finishEarly:
                effects.aborts = true
                finish(&effects)
            }
        case .trailers(let trailers): reader.trailers = trailers
        case .connected, .metrics: break
        case .finished: finish(&effects)
        case .failed(let failure):
            effects.exchange = exchange.take()
            let error = attempt.error(failure)
            if attempt.canRepeatExchange(after: failure) {
                repeatExchange(after: error, &effects)
            } else if reader.needsNoBody, !error.isCancellation {
                finish(brokenBy: failure, &effects)
            } else {
                decideOnRetry(error, &effects)
            }
        }
    }

    private mutating func receive(_ head: HTTPResponse<Void>, _ effects: inout Effects) {
        guard reader.isAwaitingHead, let request = attempt.request else { return }
        let received = attempt.addingRedirects(to: head)
        do throws(HTTPError.Reason) {
            let policy = plan.options.redirects
            let next = try policy.next(
                after: received, to: request, adaptedFrom: attempt.unadaptedRequest, count: attempt.redirects.count,
                scope: plan.credentialScope, isConfined: plan.confinesRedirects)
            if let next {
                guard let rule = policy.rule else { return follow(next, received, &effects) }
                state = .decidingRedirect(received, next)
                effects.operation = .call(.redirectDecision(received, next, rule))
                return
            }
        } catch {
            return fail(attempt.error(error), &effects)
        }
        let head = received.describingDecodedBody(inAnswerTo: request)
        let validation = plan.options.validation
        // The clock of retries may be the user's.
        guard validation.isCustom || plan.retriesAttempts || plan.isIntercepted else {
            return read(head, validation.isAcceptable(head) ? .acceptable : .unacceptable, &effects)
        }
        state = .validatingHead(head)
        let error = attempt.error(.status(head.replacingBody(Data())))
        effects.operation = .call(.headValidation(head, error: error, retries: retries))
    }

    /// Follows a redirect after the rest of its response has been read, or without it if that is long or takes long.
    private mutating func follow(
        _ next: TransportRequest, _ head: HTTPResponse<Void>, _ effects: inout Effects
    ) {
        attempt.recordRedirect(by: head)
        state = .redirecting(next)
        guard reader.readRedirect(head) else {
            effects.aborts = true
            return finish(&effects)
        }
        if head.declaredLength != 0 { effects.operation = .limitBody(Self.redirectBodyTimeout) }
    }

    /// Ends an exchange whose body decides nothing and has not ended in time. Some never do.
    private mutating func abandonBody(after timeout: Duration?, _ effects: inout Effects) {
        let time = timeout.map { " after \($0.inMilliseconds)" } ?? ""
        let cause = HTTPError.Underlying(domain: "Streams", code: 0, message: "the body had not ended\(time)")
        effects.aborts = true
        finish(brokenBy: TransportFailure(.transfer(.bodyEndedEarly), underlying: cause), &effects)
    }

    /// Publishes a head that leads to no other request, and starts to read the body.
    private mutating func read(_ head: HTTPResponse<Void>, _ validation: HeadValidation, _ effects: inout Effects) {
        guard let request = attempt.request else { return }
        state = .exchanging
        self.validation = validation
        switch validation {
        case .unacceptable, .repeatable:
            if plan.bodyUse != .handOver { reader.deliver(head, to: &buffer) }
            reader.readError(head)
            if head.declaredLength != 0, let timeout = plan.options.timeouts.errorBody {
                effects.operation = .limitBody(timeout)
            }
        case .acceptable:
            reader.deliver(head, to: &buffer)
            reader.readBody(head, of: request)
        }
    }

    /// Ends an exchange whose response is complete, or complete enough.
    ///
    /// - Parameter failure: The failure of a body that the outcome does not depend on.
    private mutating func finish(brokenBy failure: TransportFailure? = nil, _ effects: inout Effects) {
        if let ended = exchange.take() { effects.exchange = ended }
        // The limit on the time of the body.
        if reader.needsNoBody { effects.cancelsOperation = true }
        switch reader.finish(&buffer) {
        case .response(let response): validateBody(of: response, &effects)
        case .error(let response, let isWhole):
            let error = attempt.error(.status(response), underlying: failure?.cause)
            guard case .repeatable = validation else { return decideOnRetry(error, &effects) }
            let accepted = isWhole ? Result<_, HTTPError>.success(response) : nil
            decideOnRetry(error, orElse: failure.map { .failure(attempt.error($0)) } ?? accepted, &effects)
        case .failure(let reason): decideOnRetry(attempt.error(reason), &effects)
        case .redirect:
            guard case .redirecting(let next) = state else { break }
            reader.reset(&effects.released)
            prepare(next, &effects)
        }
    }

    /// Validates a collected response with its body, if the validation requires it, and completes with it.
    mutating func validateBody(of response: HTTPResponse<Data>, _ effects: inout Effects) {
        guard plan.bodyUse == .collect, plan.options.validation.isAcceptableBody != nil else {
            return complete(response, &effects)
        }
        enter(.validatingBody(response), &effects)
        effects.operation = .call(.bodyValidation(response))
    }
}

// MARK: Ends

extension RequestStateMachine {
    /// Completes with a response, once the client's interceptors have adapted it.
    private mutating func complete(_ response: HTTPResponse<Data>, _ effects: inout Effects) {
        guard plan.hasInterceptors, let context else { return deliver(response, &effects) }
        enter(.adaptingResponse, &effects)
        effects.operation = .call(.responseAdaptation(response, context))
    }

    /// Completes with a response. If bodies are delivered, one that was collected is delivered as one chunk.
    private mutating func deliver(_ response: HTTPResponse<Data>, _ effects: inout Effects) {
        var response = response
        reader.deliver(response.replacingBody(()), to: &buffer)
        if plan.bodyUse != .collect, !response.body.isEmpty {
            buffer.append(chunk: response.body)
            response = response.replacingBody(Data())
        }
        enter(.over, &effects)
        buffer.complete(with: response)
    }

    mutating func fail(_ error: HTTPError, _ effects: inout Effects) {
        buffer.complete(.failure(error))
        stop(&effects)
    }

    private mutating func stop(_ effects: inout Effects) {
        if let exchange = exchange.take() {
            effects.exchange = exchange
            effects.aborts = true
        }
        effects.cancelsOperation = true
        reader.reset(&effects.released)
        enter(.over, &effects)
    }
}
