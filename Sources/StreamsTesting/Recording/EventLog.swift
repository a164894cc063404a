import Streams

/// What a recording subscriber knows, and its judgement of each signal.
///
/// Only the standard library's own code runs in here, so that it can be behind a lock. What is taken out of it is let
/// go of outside.
// Safe because it is behind the lock of the subscriber, which hands its contents only to those it was made for.
struct EventLog<Input, Failure: Error>: @unchecked Sendable {

    enum Signal {
        case subscription
        case value
        case completion
    }

    struct Visit {
        let signal: Signal
        let thread: ThreadIdentity
    }

    var events: [RecordedEvent<Input, Failure>] = []
    var violations: [ContractViolation] = []
    var subscription: (any Subscription)?
    var outstanding = Subscribers.Demand.none
    var isCancelled = false
    var cancellingThreads: [ThreadIdentity] = []

    private var hasSubscription = false
    private var hasCompletion = false
    private var valueCount = 0
    private var visits: [Visit] = []
    private var waiters: [CountExpectation] = []

    mutating func enter(_ signal: Signal, event: RecordedEvent<Input, Failure>) {
        let visit = Visit(signal: signal, thread: .current)
        if !visits.allSatisfy({ visit.mayBegin(during: $0) }) { violations.append(.overlappingSignals) }
        if hasCompletion {
            violations.append(.signalAfterCompletion)
        } else if cancellingThreads.contains(visit.thread), signal != .subscription {
            violations.append(.signalAfterCancellation)
        }
        switch signal {
        case .subscription:
            if hasSubscription { violations.append(.secondSubscription) }
            hasSubscription = true
        case .value:
            valueCount += 1
            if !hasSubscription { violations.append(.signalBeforeSubscription) }
            if outstanding == .none { violations.append(.valueWithoutDemand) }
            outstanding -= 1
        case .completion:
            if !hasSubscription { violations.append(.signalBeforeSubscription) }
            hasCompletion = true
        }
        visits.append(visit)
        events.append(event)
    }

    /// - Returns: Who has waited for what is there now.
    mutating func leave() -> [CountExpectation] {
        let thread = ThreadIdentity.current
        if let index = visits.lastIndex(where: { $0.thread == thread }) { visits.remove(at: index) }
        guard !waiters.isEmpty else { return [] }
        let settled = waiters.filter(isSettled)
        waiters.removeAll(where: isSettled)
        return settled
    }

    /// - Returns: Whether what is waited for is there already.
    mutating func add(_ waiter: CountExpectation) -> Bool {
        if isSettled(waiter) { return true }
        waiters.append(waiter)
        return false
    }

    private func isSettled(_ waiter: CountExpectation) -> Bool {
        visits.isEmpty && (hasCompletion || valueCount >= waiter.count)
    }
}

extension EventLog.Visit {
    fileprivate func mayBegin(during other: EventLog.Visit) -> Bool {
        other.signal == .subscription && signal != .subscription && thread == other.thread
    }
}

/// A subscription on its way out of a lock.
// Safe because a subscription may be used from any thread by contract (rule 4).
struct Loan: @unchecked Sendable {
    let object: (any Subscription)?

    init(_ object: (any Subscription)?) {
        self.object = object
    }
}
