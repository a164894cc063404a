import Synchronization

/// What one watched subscription counts. Read by the census at any time, from any thread.
@usableFromInline
// Safe because what changes is atomic, or belongs to the lock of the site.
final class SubscriptionTally: @unchecked Sendable {
    /// Where it is in the site's list. Only for the site, under its lock.
    var position = 0

    private let start = ContinuousClock.now
    @usableFromInline let values = Atomic<Int>(0)

    /// The sum of what was asked for, `unlimited` once it is without bound.
    private let requested = Atomic<Int>(0)
    private static let unlimited = Int.max

    init() {}

    /// One more value goes by. Signals are serial, so that nobody else is counting.
    @inlinable
    func countValue() {
        values.store(values.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    @usableFromInline
    func countRequest(_ demand: Subscribers.Demand) {
        var sum = requested.load(ordering: .relaxed)
        while sum != Self.unlimited {
            let (exact, overflow) = sum.addingReportingOverflow(demand.max ?? Self.unlimited)
            let outcome = requested.weakCompareExchange(
                expected: sum, desired: overflow ? Self.unlimited : exact, ordering: .relaxed)
            if outcome.exchanged { return }
            sum = outcome.original
        }
    }

    var valueCount: Int { values.load(ordering: .relaxed) }

    var outstandingDemand: Subscribers.Demand {
        let sum = requested.load(ordering: .relaxed)
        return sum == Self.unlimited ? .unlimited : .max(max(0, sum - valueCount))
    }

    var age: Duration { start.duration(to: .now) }
}
