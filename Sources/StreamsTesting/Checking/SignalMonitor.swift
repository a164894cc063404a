import Streams

/// The state of one subscription, by which each signal to its subscriber is judged.
///
/// Only the library's own code runs in here, so a lock may guard it.
struct SignalMonitor {
    typealias Signal = ContractBreach.Signal

    /// A signal that has begun and not returned.
    private struct Delivery {
        let signal: Signal
        let thread: ThreadIdentity

        func mayBegin(during other: Delivery) -> Bool {
            other.signal == .subscription && signal != .subscription && thread == other.thread
        }
    }

    private(set) var outstandingDemand = Subscribers.Demand.none
    private(set) var hasSubscription = false
    private(set) var hasCompletion = false
    private(set) var valueCount = 0

    private var deliveries: [Delivery] = []
    private var cancellingThreads: [ThreadIdentity] = []
    private var isCancelledWhileSubscribing = false

    /// Whether no signal is being delivered.
    var isIdle: Bool { deliveries.isEmpty }

    /// Judges a signal that begins on the current thread.
    mutating func begin(_ signal: Signal) -> [ContractViolation] {
        var violations: [ContractViolation] = []
        let delivery = Delivery(signal: signal, thread: .current)
        if !deliveries.allSatisfy({ delivery.mayBegin(during: $0) }) { violations.append(.overlappingSignals) }
        if hasCompletion {
            violations.append(.signalAfterCompletion)
        } else if !mayFollowCancellation(delivery) {
            violations.append(.signalAfterCancellation)
        }
        switch signal {
        case .subscription:
            if hasSubscription { violations.append(.secondSubscription) }
            hasSubscription = true
        case .value:
            if !hasSubscription { violations.append(.signalBeforeSubscription) }
            if outstandingDemand == .none { violations.append(.valueWithoutDemand) }
            outstandingDemand -= 1
            valueCount += 1
        case .completion:
            if !hasSubscription { violations.append(.signalBeforeSubscription) }
            hasCompletion = true
        }
        deliveries.append(delivery)
        return violations
    }

    /// Ends the latest signal that began on the current thread.
    mutating func end() {
        let thread = ThreadIdentity.current
        if let index = deliveries.lastIndex(where: { $0.thread == thread }) { deliveries.remove(at: index) }
    }

    mutating func request(_ demand: Subscribers.Demand) {
        outstandingDemand += demand
    }

    /// Records that `cancel()` returns on the current thread.
    mutating func didCancel() {
        if !hasSubscription || deliveries.contains(where: { $0.signal == .subscription }) {
            isCancelledWhileSubscribing = true
        }
        let thread = ThreadIdentity.current
        if !cancellingThreads.contains(thread) { cancellingThreads.append(thread) }
    }

    private func mayFollowCancellation(_ delivery: Delivery) -> Bool {
        if delivery.signal == .subscription || !cancellingThreads.contains(delivery.thread) { return true }
        // A publisher that is over from the start completes all the same (rule 2).
        return delivery.signal == .completion && isCancelledWhileSubscribing && valueCount == 0
    }
}
