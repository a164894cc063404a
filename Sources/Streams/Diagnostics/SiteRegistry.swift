import Synchronization

/// All call sites of this process at which streams are observed.
final class SiteRegistry: Sendable {
    static let shared = SiteRegistry()

    /// The largest number of sites. Beyond it, new labels share one row for each position, so memory stays bounded.
    static let limit = 10_000
    static let overflowLabel = "(further labels)"

    /// A call site before its file becomes a string.
    private struct Key: Hashable, Sendable {
        let label: String?
        let fileID: StaticString
        let line: UInt

        static func == (lhs: Key, rhs: Key) -> Bool {
            lhs.line == rhs.line && lhs.label == rhs.label && hasSameText(lhs.fileID, rhs.fileID)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(line)
            hasher.combine(label)
        }

        private static func hasSameText(_ lhs: StaticString, _ rhs: StaticString) -> Bool {
            guard lhs.hasPointerRepresentation, rhs.hasPointerRepresentation else {
                return lhs.description == rhs.description
            }
            return lhs.utf8Start == rhs.utf8Start
                || lhs.withUTF8Buffer { left in rhs.withUTF8Buffer { left.elementsEqual($0) } }
        }
    }

    private let known = Locked<[Key: ObservedSite]>([:])
    private let limit: Int

    init(limit: Int = SiteRegistry.limit) {
        self.limit = limit
    }

    var sites: [ObservedSite] { known.withLock { Array($0.values) } }

    /// Returns the site for a position and a label.
    func site(label: String?, fileID: StaticString, line: UInt) -> ObservedSite {
        let limit = limit
        return known.withLock { known in
            let key = Key(label: label, fileID: fileID, line: line)
            if let site = known[key] { return site }
            if label != nil, known.count >= limit {
                return Self.add(Key(label: Self.overflowLabel, fileID: fileID, line: line), to: &known)
            }
            return Self.add(key, to: &known)
        }
    }

    private static func add(_ key: Key, to known: inout [Key: ObservedSite]) -> ObservedSite {
        if let site = known[key] { return site }
        let site = ObservedSite(CallSite(label: key.label, fileID: key.fileID, line: key.line))
        known[key] = site
        return site
    }
}

/// The counts of one call site.
///
/// Subscriptions count their values themselves. So a value costs neither a lock nor an atomic addition, and a site is locked
/// only when a subscription begins and ends.
@usableFromInline
final class ObservedSite: Sendable {
    struct State: Sendable {
        var live: [SubscriptionCounters] = []
        var started = 0
        var finished = 0
        var failed = 0
        var cancelled = 0
        var abandoned = 0
        var valuesOfEnded = 0
    }

    let callSite: CallSite
    private let state = Locked(State())

    init(_ callSite: CallSite) {
        self.callSite = callSite
    }

    /// Calls a closure that subscribes to a publisher, and makes this site known to the sources that it reaches.
    @usableFromInline
    func identifySources(_ subscribe: () -> Void) {
        CallSite.$current.withValue(callSite, operation: subscribe)
    }

    /// Calls a closure, and makes no site known to the sources that it reaches.
    @usableFromInline
    static func leaveUnidentified(_ operation: () -> Void) {
        CallSite.$current.withValue(nil, operation: operation)
    }

    func begin(_ counters: SubscriptionCounters) {
        state.withLock { state in
            counters.position = state.live.count
            state.live.append(counters)
            state.started += 1
        }
    }

    func end(_ counters: SubscriptionCounters, by ending: SubscriptionOutcome) {
        state.withLock { state in
            // The last element fills the gap.
            let last = state.live.removeLast()
            if last !== counters {
                state.live[counters.position] = last
                last.position = counters.position
            }
            state.valuesOfEnded += counters.valueCount
            switch ending {
            case .finished: state.finished += 1
            case .failed: state.failed += 1
            case .cancelled: state.cancelled += 1
            case .abandoned: state.abandoned += 1
            }
        }
    }

    /// The present row of this site.
    var row: Census.Row {
        let state = state.withLock { $0 }
        return Census.Row(
            callSite: callSite,
            live: state.live.count,
            started: state.started,
            finished: state.finished,
            failed: state.failed,
            cancelled: state.cancelled,
            abandoned: state.abandoned,
            values: state.live.reduce(state.valuesOfEnded) { $0 + $1.valueCount },
            outstandingDemand: state.live.reduce(.none) { $0 + $1.outstandingDemand },
            oldest: state.live.map(\.age).max())
    }
}

/// The counts of one observed subscription. The census reads them from any thread.
@usableFromInline
// Safe because the state is atomic, or guarded by the lock of the site.
final class SubscriptionCounters: @unchecked Sendable {
    /// The index in the site's list, guarded by the site's lock.
    var position = 0

    private let start = ContinuousClock.now
    @usableFromInline let values = Atomic<Int>(0)

    /// The sum of the requests, `unlimited` once it is unlimited.
    private let requested = Atomic<Int>(0)
    private static let unlimited = Int.max

    init() {}

    /// Counts a value. Signals are serial, so no other thread counts at the same time.
    @inlinable
    func countValue() { values.store(values.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

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
