extension RequestPlan {
    /// Whether the policy would repeat an attempt, and the budget allow it, as things stand with the head of its
    /// response.
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
