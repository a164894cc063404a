extension RequestPlan {
    /// Returns the delay after which the policy repeats a failed attempt within the budget; `nil` if it does not.
    ///
    /// - Parameters:
    ///   - expectedDelay: The delay that the head of the response led to, if any. The policy may still refuse for the
    ///     whole response.
    ///   - firstAttemptTime: The start of the first attempt, by the client's clock.
    ///   - consuming: Whether to consume a retry of the budget.
    func retryDelay(
        after error: HTTPError, retries: Int, expectedDelay: Duration? = nil, firstAttemptTime: Duration,
        consuming: Bool = true
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
        guard let delay = allowedDelay, policy.maxElapsed.map({ now - firstAttemptTime + delay <= $0 }) ?? true,
            isInBudget(request, now: now, consuming: consuming)
        else { return nil }
        return delay
    }

    /// Consumes a retry of the budget for a hedge.
    ///
    /// - Returns: Whether the hedge is within the budget.
    func consumesHedge() -> Bool {
        guard case .success(let request) = request else { return true }
        return isInBudget(request, now: clock.now, consuming: true)
    }

    /// Returns whether a retry is within the budget, and consumes it if that is so and if asked to.
    private func isInBudget(_ request: TransportRequest, now: Duration, consuming: Bool) -> Bool {
        guard let retryBudget, let retryTracker else { return true }
        let origin = request.lazyURL.origin
        return consuming
            ? retryTracker.consumeRetry(origin, retryBudget, now: now)
            : retryTracker.allowsRetry(origin, retryBudget, now: now)
    }
}
