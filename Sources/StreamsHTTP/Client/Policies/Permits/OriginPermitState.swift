/// The state of an origin's permits: its token bucket, its circuit, and the places of its concurrent requests.
///
/// An exchange first waits for a place, then for a token, each in order. Holding a place while waiting for a token
/// delays nothing: the bucket is what limits the rate then. The circuit is asked first and last.
struct OriginPermitState {
    /// The answer to an exchange that asks for a permit.
    enum Answer {
        case granted(Permit)
        case refused(HTTPError.Connection)
    }

    /// The result of asking for a permit.
    enum Admission {
        case answered(Answer)
        /// The exchange waits under this number.
        case waiting(Int)
    }

    /// An exchange that waits for a permit.
    struct Waiter {
        let id: Int
        let exchange: PermittedExchange
        let takesPlace: Bool
        let start: Duration
        /// The times that were spent in the queues.
        var waits = HTTPRequest.Metrics.Waits()
    }

    /// The end of a wait, performed after the lock.
    struct WaitEnd {
        let exchange: PermittedExchange
        let waits: HTTPRequest.Metrics.Waits
        let answer: Answer
    }

    private let limit: Int?
    private let maxWait: Duration?
    private var bucket: TokenBucket?
    private var circuit: CircuitState?
    private var running = 0
    private var placeQueue = WaitingQueue<Waiter>()
    private var rateQueue = WaitingQueue<Waiter>()
    /// The numbers in the queue for tokens of the exchanges that have waited for a place, by their identifiers.
    private var rateNumbers: [Int: Int] = [:]
    private var lastNumber = 0
    /// The ends of waits that are to be performed, in order.
    private var ends: [WaitEnd] = []

    init(_ policies: PermitPolicies) {
        limit = policies.maxConcurrentRequests
        maxWait = policies.rateLimit?.maxWait
        bucket = policies.rateLimit.map { TokenBucket($0) }
        circuit = policies.circuitBreaker.map { CircuitState($0) }
    }
}

// MARK: Exchanges

extension OriginPermitState {
    mutating func acquire(_ exchange: PermittedExchange, takesPlace: Bool, now: Duration) -> Admission {
        if let refusal = circuit?.refusal(now: now) { return .answered(.refused(refusal)) }
        let takesPlace = takesPlace && limit != nil
        if takesPlace, !hasFreePlace || !placeQueue.isEmpty {
            let waiter = self.waiter(exchange, takesPlace, now)
            placeQueue.append(waiter, number: waiter.id)
            return .waiting(waiter.id)
        }
        if takesPlace { running += 1 }
        if let answer = self.answer(takesPlace: takesPlace, now: now) { return .answered(answer) }
        let waiter = self.waiter(exchange, takesPlace, now)
        rateQueue.append(waiter, number: waiter.id)
        return .waiting(waiter.id)
    }

    /// Removes an exchange that waits.
    ///
    /// - Returns: The waiter, with the time it has waited; `nil` if its wait has ended.
    mutating func cancel(_ id: Int, now: Duration) -> Waiter? {
        if var waiter = placeQueue.remove(id) {
            waiter.waits.concurrency = elapsed(since: waiter.start, now)
            return waiter
        }
        guard var waiter = rateQueue.remove(rateNumbers.removeValue(forKey: id) ?? id) else { return nil }
        waiter.waits.rateLimit = elapsed(since: waiter.start, now) - waiter.waits.concurrency
        returnPlace(waiter.takesPlace)
        endWaits(now: now)
        return waiter
    }

    /// Returns the wait of an exchange; `nil` if its wait has ended.
    func wait(of id: Int, now: Duration) -> HTTPRequest.Wait? {
        if let waiter = placeQueue.element(id) {
            return HTTPRequest.Wait(.originPlace, elapsed: elapsed(since: waiter.start, now))
        }
        return rateQueue.element(rateNumbers[id] ?? id).map { waiter in
            HTTPRequest.Wait(.token, elapsed: elapsed(since: waiter.start, now) - waiter.waits.concurrency)
        }
    }

    /// Returns a permit.
    ///
    /// - Parameter isFailure: Whether the exchange failed; `nil` if it has no outcome.
    mutating func release(_ permit: Permit, isFailure: Bool?, now: Duration) {
        returnPlace(permit.hasPlace)
        if let period = permit.period { circuit?.end(period, isFailure: isFailure, now: now) }
        endWaits(now: now)
    }

    /// Reports the outcome of an exchange that keeps its place.
    mutating func report(_ period: CircuitState.Period, isFailure: Bool, now: Duration) {
        circuit?.end(period, isFailure: isFailure, now: now)
        endWaits(now: now)
    }

    /// Applies the quota that a response declares.
    mutating func apply(_ quota: RequestQuota, now: Duration) {
        bucket?.lower(to: quota.remaining, now: now)
        if let pause = quota.pause { bucket?.pause(for: pause, now: now) }
        endWaits(now: now)
    }
}

// MARK: Waits

extension OriginPermitState {
    /// Ends the waits that are over by now: grants and refuses permits in order.
    mutating func endWaits(now: Duration) {
        while var waiter = rateQueue.first {
            waiter.waits.rateLimit = elapsed(since: waiter.start, now) - waiter.waits.concurrency
            guard let answer = answerForFirst(waiter, now: now) else { break }
            _ = rateQueue.popFirst()
            rateNumbers[waiter.id] = nil
            ends.append(WaitEnd(exchange: waiter.exchange, waits: waiter.waits, answer: answer))
        }
        while var waiter = placeQueue.first {
            waiter.waits.concurrency = elapsed(since: waiter.start, now)
            if let refusal = circuit?.refusal(now: now) {
                _ = placeQueue.popFirst()
                ends.append(WaitEnd(exchange: waiter.exchange, waits: waiter.waits, answer: .refused(refusal)))
                continue
            }
            guard hasFreePlace else { break }
            _ = placeQueue.popFirst()
            running += 1
            if let answer = self.answer(takesPlace: true, now: now) {
                ends.append(WaitEnd(exchange: waiter.exchange, waits: waiter.waits, answer: answer))
            } else {
                // Another number, since exchanges that came later may wait for a token already.
                lastNumber += 1
                rateNumbers[waiter.id] = lastNumber
                rateQueue.append(waiter, number: lastNumber)
            }
        }
    }

    /// The time at which a waiting exchange gets the next token; `nil` if none waits for one.
    func wakeTime(now: Duration) -> Duration? {
        isWaitingForRate ? bucket?.nextTime(now: now) : nil
    }

    var isWaitingForRate: Bool { !rateQueue.isEmpty }

    var hasEnds: Bool { !ends.isEmpty }

    /// Takes the ends of waits to perform.
    mutating func takeEnds() -> [WaitEnd] {
        defer { ends = [] }
        return ends
    }

    /// Returns the answer to the first exchange in the queue for tokens; `nil` if it waits on.
    private mutating func answerForFirst(_ waiter: Waiter, now: Duration) -> Answer? {
        if let refusal = circuit?.refusal(now: now) {
            returnPlace(waiter.takesPlace)
            return .refused(refusal)
        }
        guard let next = bucket?.nextTime(now: now), next > now else {
            bucket?.take(now: now)
            return .granted(Permit(hasPlace: waiter.takesPlace, period: circuit?.pass()))
        }
        // A response may have paused the origin for longer than the exchange waits.
        guard let maxWait, next - waiter.start - waiter.waits.concurrency > maxWait else { return nil }
        returnPlace(waiter.takesPlace)
        return .refused(.rateLimited(retryAfter: next - now))
    }

    /// Returns the answer to an exchange that has its place, if it takes one; `nil` if it waits for a token.
    private mutating func answer(takesPlace: Bool, now: Duration) -> Answer? {
        if let refusal = circuit?.refusal(now: now) {
            returnPlace(takesPlace)
            return .refused(refusal)
        }
        if let bucket {
            let next = bucket.nextTime(after: rateQueue.count, now: now)
            if let maxWait, next - now > maxWait {
                returnPlace(takesPlace)
                return .refused(.rateLimited(retryAfter: next - now))
            }
            guard rateQueue.isEmpty, next <= now else { return nil }
            self.bucket?.take(now: now)
        }
        return .granted(Permit(hasPlace: takesPlace, period: circuit?.pass()))
    }

    private mutating func waiter(_ exchange: PermittedExchange, _ takesPlace: Bool, _ now: Duration) -> Waiter {
        lastNumber += 1
        return Waiter(id: lastNumber, exchange: exchange, takesPlace: takesPlace, start: now)
    }

    private var hasFreePlace: Bool { limit.map { running < $0 } ?? true }

    private mutating func returnPlace(_ isHeld: Bool) {
        if isHeld { running -= 1 }
    }

    private func elapsed(since start: Duration, _ now: Duration) -> Duration { max(now - start, .zero) }
}

// MARK: Displays

extension OriginPermitState {
    /// Returns whether the origin has no exchanges and a new state would behave alike, except that a circuit which may
    /// be probed is closed.
    func isIdle(now: Duration) -> Bool {
        guard running == 0, placeQueue.isEmpty, rateQueue.isEmpty, ends.isEmpty, bucket?.isFull(now: now) ?? true else {
            return false
        }
        switch circuit?.state {
        case nil, .halfOpen(running: 0, succeeded: _): return true
        case .closed: return circuit?.counts(now: now).calls == 0
        case .open(let end): return end <= now
        case .halfOpen: return false
        }
    }

    func snapshot(now: Duration) -> HTTPClient.Snapshot.Permits {
        let counts = circuit?.counts(now: now)
        let phase: CircuitBreaker.Phase? =
            switch circuit?.state {
            case nil: nil
            case .closed: .closed
            case .open(let end): .open(for: max(end - now, .zero))
            case .halfOpen(let running, _): .halfOpen(probes: running)
            }
        return HTTPClient.Snapshot.Permits(
            running: running, waitingForPlace: placeQueue.count, waitingForRate: rateQueue.count,
            tokens: bucket?.available(now: now), nextToken: bucket.map { max($0.nextTime(now: now) - now, .zero) },
            circuit: phase, calls: counts?.calls ?? 0, failures: counts?.failures ?? 0)
    }
}
