import Streams

/// The signals that a recording subscriber received, the violations among them, and the tasks that wait for more.
///
/// Only the library's own code runs in here, so a lock may guard it. The caller releases the objects it removes.
// Safe because a lock of the subscriber guards it, and the subscriber is only sendable if its values are.
struct EventLog<Input, Failure: Error>: @unchecked Sendable {
    var subscription: (any Subscription)?
    var isCancelled = false

    private(set) var events: [RecordedEvent<Input, Failure>] = []
    private(set) var violations: [ContractViolation] = []
    private var monitor = SignalMonitor()
    private var expectations: [CountExpectation] = []

    var outstandingDemand: Subscribers.Demand { monitor.outstandingDemand }

    mutating func begin(_ signal: ContractBreach.Signal, event: RecordedEvent<Input, Failure>) {
        violations += monitor.begin(signal)
        events.append(event)
    }

    /// Ends the signal of the current thread.
    ///
    /// - Returns: The expectations that are now met.
    mutating func end() -> [CountExpectation] {
        monitor.end()
        guard !expectations.isEmpty else { return [] }
        let met = expectations.filter(isMet)
        expectations.removeAll(where: isMet)
        return met
    }

    mutating func request(_ demand: Subscribers.Demand) {
        monitor.request(demand)
    }

    mutating func didCancel() {
        monitor.didCancel()
    }

    /// - Returns: Whether the expectation is met already.
    mutating func add(_ expectation: CountExpectation) -> Bool {
        if isMet(expectation) { return true }
        expectations.append(expectation)
        return false
    }

    private func isMet(_ expectation: CountExpectation) -> Bool {
        monitor.isIdle && (monitor.hasCompletion || monitor.valueCount >= expectation.count)
    }
}
