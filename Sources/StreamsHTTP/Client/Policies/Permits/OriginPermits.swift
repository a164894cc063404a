/// The permits of one origin: performs the effects of their state outside of its lock.
final class OriginPermits: Sendable {
    private struct State {
        var permits: OriginPermitState
        /// Whether a thread performs the ends of waits.
        var isPerforming = false
        var timer: (any Cancellable & Sendable)?
        /// The time for which the timer is set; `nil` without one.
        var timerTime: Duration?
        /// Distinguishes the timer from earlier ones.
        var timerNumber = 0
    }

    /// A timer to set.
    private struct Wake {
        let number: Int
        let delay: Duration
    }

    let policies: PermitPolicies
    let clock: RequestClock
    private let state: Locked<State>

    init(_ policies: PermitPolicies, clock: RequestClock) {
        self.policies = policies
        self.clock = clock
        state = Locked(State(permits: OriginPermitState(policies)))
    }

    /// Asks for a permit. Call ``setTimer(now:)`` if the exchange waits.
    func acquire(_ exchange: PermittedExchange, takesPlace: Bool, now: Duration) -> OriginPermitState.Admission {
        state.withLock { $0.permits.acquire(exchange, takesPlace: takesPlace, now: now) }
    }

    /// Removes an exchange that waits.
    ///
    /// - Returns: The time it has waited; `nil` if its wait has ended.
    func cancel(_ id: Int) -> HTTPRequest.Metrics.Waits? {
        // Released outside of the lock: it may hold the last reference to a subscriber.
        var waiter: OriginPermitState.Waiter?
        update { permits, now in waiter = permits.cancel(id, now: now) }
        return waiter?.waits
    }

    /// Returns the wait of an exchange; `nil` if its wait has ended.
    func wait(of id: Int) -> HTTPRequest.Wait? {
        let now = clock.now
        return state.withLock { $0.permits.wait(of: id, now: now) }
    }

    func release(_ permit: Permit, isFailure: Bool?) {
        update { permits, now in permits.release(permit, isFailure: isFailure, now: now) }
    }

    func report(_ period: CircuitState.Period, isFailure: Bool) {
        update { permits, now in permits.report(period, isFailure: isFailure, now: now) }
    }

    func apply(_ quota: RequestQuota) {
        update { permits, now in permits.apply(quota, now: now) }
    }

    func isIdle(now: Duration) -> Bool { state.withLock { $0.permits.isIdle(now: now) } }

    func snapshot(now: Duration) -> HTTPClient.Snapshot.Permits {
        state.withLock { $0.permits.snapshot(now: now) }
    }

    /// Changes the state, and performs what follows from it.
    private func update(_ change: (inout OriginPermitState, Duration) -> Void) {
        let now = clock.now
        let (mustTime, mustPerform) = state.withLock { state in
            change(&state.permits, now)
            let mustTime = state.timerTime != nil || state.permits.isWaitingForRate
            guard state.permits.hasEnds, !state.isPerforming else { return (mustTime, false) }
            state.isPerforming = true
            return (mustTime, true)
        }
        // First, because starting exchanges may take long.
        if mustTime { setTimer(now: now) }
        if mustPerform { performEnds() }
    }

    /// Starts and fails exchanges whose wait is over, one after the other. An exchange that ends before it has started
    /// ends further waits: a loop keeps the stack flat.
    private func performEnds() {
        while let ends = state.withLock({ Self.takeEnds(&$0) }) {
            for end in ends { end.exchange.receive(end.answer, after: end.waits) }
        }
    }

    private static func takeEnds(_ state: inout State) -> [OriginPermitState.WaitEnd]? {
        guard state.permits.hasEnds else {
            state.isPerforming = false
            return nil
        }
        return state.permits.takeEnds()
    }
}

// MARK: The timer

extension OriginPermits {
    /// Sets the timer for the next token if an exchange waits for it, and cancels it if none does.
    func setTimer(now: Duration) {
        let (wake, stale) = state.withLock { Self.nextWake(&$0, now: now) }
        stale?.cancel()
        guard let wake else { return }
        let timer = clock.schedule(wake.delay) { [weak self] in self?.timerFired(wake.number) }
        let isWanted = state.withLock { state in
            guard state.timerNumber == wake.number, state.timerTime != nil else { return false }
            state.timer = timer
            return true
        }
        if !isWanted { timer.cancel() }
    }

    /// A timer that fires before it is needed is set again.
    private static func nextWake(_ state: inout State, now: Duration) -> (Wake?, (any Cancellable & Sendable)?) {
        let due = state.permits.wakeTime(now: now)
        if let due, let time = state.timerTime, time <= due { return (nil, nil) }
        guard due != nil || state.timerTime != nil else { return (nil, nil) }
        state.timerNumber += 1
        state.timerTime = due
        return (due.map { Wake(number: state.timerNumber, delay: max($0 - now, .zero)) }, state.timer.take())
    }

    private func timerFired(_ number: Int) {
        let timer: (any Cancellable)? = state.withLock { state in
            guard state.timerNumber == number else { return nil }
            state.timerTime = nil
            return state.timer.take()
        }
        // Released outside of the lock.
        withExtendedLifetime(timer) {}
        update { permits, now in permits.endWaits(now: now) }
    }
}
