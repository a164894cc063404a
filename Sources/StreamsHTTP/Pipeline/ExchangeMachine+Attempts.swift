// What happens around an exchange: its preparation, and what becomes of its failure.

extension ExchangeMachine {
    mutating func startAttempt(_ effects: inout Effects) {
        switch plan.request {
        case .success(let planned):
            attempt += 1
            redirects = []
            if let last = request.take() { effects.released.append(last) }
            hasHead = false
            uploadGate = ProgressGate(plan.granularity)
            let attempt = RequestAttempt(number: attempt, method: planned.method, url: planned.url)
            outbox.append(step: .attempt(attempt))
            note(.attempt(attempt))
            prepare(resumption?.continuing(planned, after: delivered) ?? planned, &effects)
        case .failure(let error):
            phase = .over
            outbox.complete(.failure(error))
        }
    }

    /// Starts another attempt, now or when the subscriber has got so far.
    mutating func continueAttempts(_ effects: inout Effects) {
        if outbox.isBehind { phase = .held } else { startAttempt(&effects) }
    }

    private mutating func prepare(_ planned: TransportRequest, _ effects: inout Effects) {
        guard isIntercepted, let context else { return start(planned, &effects) }
        hop += 1
        phase = .adapting
        effects.inquiry = .adaptation(planned, context)
    }

    /// The interceptors have made something of the request.
    mutating func adapt(_ adapted: Result<TransportRequest, TransportFailure>, hop: Int) -> Effects {
        var effects = Effects()
        guard hop == self.hop, case .adapting = phase else { return effects }
        switch adapted {
        case .success(let request): start(request, &effects)
        case .failure(let failure): consider(error(failure.reason, underlying: failure.underlying), &effects)
        }
        return effects
    }

    /// A response has been looked at.
    mutating func validate(_ verdict: Verdict, hop: Int) -> Effects {
        var effects = Effects()
        guard hop == self.hop, case .validating(let response) = phase else { return effects }
        switch verdict {
        case .acceptable: complete(response)
        case .repeatable, .unacceptable: consider(error(.status(response)), &effects)
        }
        return effects
    }
}

// MARK: Failures

extension ExchangeMachine {
    /// Has it decided whether a failed attempt is followed by another.
    ///
    /// - Parameter response: What will do where it is not.
    mutating func consider(_ error: HTTPError, or response: HTTPResponse<Data>? = nil, _ effects: inout Effects) {
        guard let context, isIntercepted || (plan.options.retry != nil && isRepeatable) else {
            if let response { accept(response, &effects) } else { fail(error, &effects) }
            return
        }
        hop += 1
        phase = .considering(error, response)
        effects.inquiry = .retry(error, context, retries: retries)
    }

    /// It has been decided whether there is another attempt.
    mutating func decide(_ ruling: Ruling, hop: Int) -> Effects {
        var effects = Effects()
        guard hop == self.hop, case .considering(let error, let response) = phase else { return effects }
        // Where nobody is told of an attempt's end, this was all that kept the body of its response.
        effects.released.append(phase)
        switch ruling {
        case .repeated(let delay) where isRepeatable:
            announceRetry(after: max(delay, .zero), error)
            // Interceptors are asked in a task, so the stack stays flat.
            if delay <= .zero { continueAttempts(&effects) } else { effects.wait = delay }
        case .retry(let delay) where isRepeatable:
            retries += 1
            announceRetry(after: delay, error)
            effects.wait = delay
        case .fail(let error):
            fail(error, &effects)
        case .repeated, .retry, .proceed:
            if let response {
                accept(response, &effects)
                break
            }
            guard isIntercepted, delivered == 0, let context else {
                fail(error, &effects)
                break
            }
            self.hop += 1
            phase = .recovering(error)
            effects.inquiry = .recovery(error, context)
        }
        return effects
    }

    /// Ends with a response that another attempt would have been made for.
    private mutating func accept(_ response: HTTPResponse<Data>, _ effects: inout Effects) {
        if plan.bodyUse == .deliver { deliver(response) } else { conclude(response, &effects) }
    }

    /// Ends with a response that is there as a whole, and its body in one chunk.
    private mutating func deliver(_ response: HTTPResponse<Data>) {
        if !response.body.isEmpty { outbox.append(chunk: response.body) }
        complete(response.replacingBody(Data()))
    }

    private mutating func announceRetry(after delay: Duration, _ error: HTTPError) {
        hop += 1
        phase = .waiting
        resumption?.failure = TransportFailure(error.reason, underlying: error.underlying)
        let retry = RequestRetry(delay: delay, error: error)
        outbox.append(step: .retrying(retry))
        note(.retrying(retry))
    }

    /// The interceptors have been asked for a response in place of the error.
    mutating func recover(_ recovered: Result<HTTPResponse<Data>?, TransportFailure>, hop: Int) -> Effects {
        var effects = Effects()
        guard hop == self.hop, case .recovering(let error) = phase else { return effects }
        switch recovered {
        case .success(let response?):
            if !hasHead { outbox.append(step: .head(response.replacingBody(()))) }
            if plan.bodyUse == .deliver { deliver(response) } else { complete(response) }
        case .success:
            fail(error, &effects)
        case .failure(let failure):
            fail(self.error(failure.reason, underlying: failure.underlying), &effects)
        }
        return effects
    }
}
