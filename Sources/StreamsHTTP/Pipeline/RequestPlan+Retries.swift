extension RequestPlan {
    /// Whether the policy would repeat an attempt, and the budget allow it, as things stand with the head of its response.
    func expectsRetry(after error: HTTPError, retries: Int, began: Duration) -> Bool {
        guard let delay = retryDelay(after: error, retries: retries), case .success(let request) = request else {
            return false
        }
        let now = clock.now
        guard isInTime(delay, now: now, began: began) else { return false }
        guard let retryBudget, let ledger else { return true }
        return ledger.allows(request.url.origin, retryBudget, now: now)
    }

    /// How long the policy has it wait before an attempt is repeated; `nil` where there is no policy, or it does not.
    private func retryDelay(after error: HTTPError, retries: Int) -> Duration? {
        guard let policy = options.retry, case .success(let request) = request else { return nil }
        return policy.delay(
            after: error, of: request, retries: retries, now: Date(), random: .random(in: 0...1))
    }

    /// What the policy decides about a failed attempt, and the budget allows.
    ///
    /// - Parameter began: When the first attempt began, by the client's clock.
    func ruling(after error: HTTPError, _ context: RequestContext, retries: Int, began: Duration) -> Ruling {
        guard context.isRepeatable, let delay = retryDelay(after: error, retries: retries),
            case .success(let request) = request
        else { return .proceed }
        let now = clock.now
        guard isInTime(delay, now: now, began: began) else { return .proceed }
        if let retryBudget, let ledger, !ledger.withdraw(request.url.origin, retryBudget, now: now) { return .proceed }
        return .retry(after: delay)
    }

    private func isInTime(_ delay: Duration, now: Duration, began: Duration) -> Bool {
        options.retry?.maxElapsed.map { now - began + delay <= $0 } ?? true
    }
}

// The answers of a list of interceptors.
extension [any Interceptor] {
    /// A request as all of them have it.
    func adapted(
        _ request: TransportRequest, _ context: RequestContext
    ) async -> Result<TransportRequest, TransportFailure> {
        do {
            var request = request
            for interceptor in self { request = try await interceptor.adapt(request, context) }
            return .success(try request.checked())
        } catch {
            return .failure(TransportFailure(thrown: error))
        }
    }

    /// The decision of the first that has one.
    func ruling(after error: HTTPError, _ context: RequestContext) async -> Ruling? {
        for interceptor in self {
            switch await interceptor.retry(after: error, context) {
            case .proceed: continue
            case .retry(let delay): return .repeated(after: delay)
            case .fail(let error): return .fail(error)
            }
        }
        return nil
    }

    /// The response of the first that has one.
    func recovered(
        from error: HTTPError, _ context: RequestContext
    ) async -> Result<HTTPResponse<Data>?, TransportFailure> {
        do {
            for interceptor in self {
                if let response = try await interceptor.recover(from: error, context) { return .success(response) }
            }
            return .success(nil)
        } catch {
            return .failure(TransportFailure(thrown: error))
        }
    }
}
