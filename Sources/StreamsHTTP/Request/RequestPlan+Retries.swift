extension RequestPlan {
    /// Returns the delay after which the policy would repeat an attempt within the budget, judged by the acceptable
    /// head of its response; `nil` if it would not. Only the policy's statuses make an acceptable response a failure.
    func expectedDelay(after error: HTTPError, retries: Int, firstAttemptTime: Duration) -> Duration? {
        let policy = options.retry
        guard case .success(let request) = request, let status = error.status, policy.statuses.contains(status),
            let delay = policy.delay(
                after: error, of: request, retries: retries, now: clock.date, random: .random(in: 0...1))
        else { return nil }
        let now = clock.now
        guard isInTime(delay, now: now, firstAttemptTime: firstAttemptTime) else { return nil }
        guard let retryBudget, let retryTracker else { return delay }
        return retryTracker.allowsRetry(request.lazyURL.origin, retryBudget, now: now) ? delay : nil
    }

    /// Returns the policy's decision about a failed attempt, within the budget.
    ///
    /// - Parameters:
    ///   - expectedDelay: The delay that the head of the response led to, if any. The policy may still refuse for the
    ///     whole response.
    ///   - firstAttemptTime: The start of the first attempt, by the client's clock.
    func retryResolution(
        after error: HTTPError, _ context: HTTPRequest.Context, retries: Int, expectedDelay: Duration?,
        firstAttemptTime: Duration
    ) -> RetryResolution {
        guard context.isRepeatable,
            let delay = retryDelay(
                after: error, retries: retries, expectedDelay: expectedDelay, firstAttemptTime: firstAttemptTime)
        else { return .proceed }
        return .retryFromPolicy(after: delay)
    }

    /// Returns the delay after which the policy repeats a failed attempt within the budget; `nil` if it does not.
    ///
    /// - Parameters:
    ///   - expectedDelay: The delay that the head of the response led to, if any.
    ///   - firstAttemptTime: The start of the first attempt, by the client's clock.
    func retryDelay(
        after error: HTTPError, retries: Int, expectedDelay: Duration? = nil, firstAttemptTime: Duration
    ) -> Duration? {
        guard case .success(let request) = request else { return nil }
        let policy = options.retry
        let allowedDelay =
            if let expectedDelay {
                policy.allowsRetry(after: error, of: request, retries: retries) ? expectedDelay : nil
            } else {
                policy.delay(after: error, of: request, retries: retries, now: clock.date, random: .random(in: 0...1))
            }
        let now = clock.now
        guard let delay = allowedDelay, isInTime(delay, now: now, firstAttemptTime: firstAttemptTime) else {
            return nil
        }
        if let retryBudget, let retryTracker, !retryTracker.consumeRetry(request.lazyURL.origin, retryBudget, now: now)
        {
            return nil
        }
        return delay
    }

    /// Consumes a retry of the budget for a hedge.
    ///
    /// - Returns: Whether the hedge is within the budget.
    func consumesHedge() -> Bool {
        guard let retryBudget, let retryTracker, case .success(let request) = request else { return true }
        return retryTracker.consumeRetry(request.lazyURL.origin, retryBudget, now: clock.now)
    }

    private func isInTime(_ delay: Duration, now: Duration, firstAttemptTime: Duration) -> Bool {
        options.retry.maxElapsed.map { now - firstAttemptTime + delay <= $0 } ?? true
    }
}
