// The course after a failure: retries, recovery and repeated exchanges.

extension RequestStateMachine {
    /// Starts the decision whether a failed attempt is followed by another.
    ///
    /// - Parameter fallback: The end of the request if there is no other attempt; by default, the error.
    mutating func decideOnRetry(
        _ error: HTTPError, orElse fallback: Result<HTTPResponse<Data>, HTTPError>? = nil, _ effects: inout Effects
    ) {
        guard plan.isIntercepted || (plan.retriesAttempts && reader.isRepeatable), let context else {
            return fail(error, &effects)
        }
        let expectedDelay: Duration? = if case .repeatable(let delay) = validation { delay } else { nil }
        enter(.deciding(error, orElse: fallback ?? .failure(error)), &effects)
        effects.operation = .call(.retry(error, context, retries: retries, expectedDelay: expectedDelay))
    }

    /// Ends an attempt by the decision whether there is another.
    mutating func end(
        _ error: HTTPError, _ fallback: Result<HTTPResponse<Data>, HTTPError>, by decision: RetryPolicy.Decision,
        byPolicy: Bool, _ effects: inout Effects
    ) {
        switch decision {
        case .retry(let delay) where reader.isRepeatable:
            if byPolicy { retries += 1 }
            announceRetry(after: max(delay, .zero), error, &effects)
            // Interceptors are called in a task, so the stack stays flat.
            if delay <= .zero, !byPolicy { continueAttempts(&effects) } else { effects.operation = .wait(delay) }
        case .fail(let error):
            fail(error, &effects)
        case .retry, .proceed:
            switch fallback {
            case .success(let response): validateBody(of: response, &effects)
            case .failure(let failure):
                // As without retries, the part of an accepted response is delivered before the failure of its body.
                if failure.response == nil, let part = error.response?.body { reader.deliver(part: part, to: &buffer) }
                recover(from: failure, &effects)
            }
        }
    }

    /// Has the interceptors replace an error by a response, or fails with it.
    private mutating func recover(from error: HTTPError, _ effects: inout Effects) {
        guard plan.isIntercepted, reader.isReplaceable, let context else { return fail(error, &effects) }
        enter(.recovering(error), &effects)
        effects.operation = .call(.recovery(error, context))
    }

    /// Sends the request of the exchange again in another attempt, without the redirects that led to it.
    mutating func repeatExchange(after error: HTTPError, _ effects: inout Effects) {
        guard let request = attempt.unadaptedRequest else { return fail(error, &effects) }
        announceRetry(after: .zero, error, &effects)
        attempt.repeatExchange()
        buffer.append(step: .attempt(attempt.event(sending: request)))
        reader.reset(&effects.released)
        prepare(request, &effects)
    }

    private mutating func announceRetry(after delay: Duration, _ error: HTTPError, _ effects: inout Effects) {
        enter(.waiting, &effects)
        buffer.append(step: .retrying(HTTPRequest.Retry(delay: delay, error: error)))
    }
}
