import Synchronization

/// What the census knows of one call site.
///
/// Subscriptions count their values themselves, and are asked for them. So a value costs neither a lock nor an atomic
/// addition, and a site is touched only as a subscription begins and ends.
@usableFromInline
final class WatchedSite: Sendable {
    struct State: Sendable {
        var live: [SubscriptionTally] = []
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

    func begin(_ tally: SubscriptionTally) {
        state.withLock { state in
            tally.position = state.live.count
            state.live.append(tally)
            state.started += 1
        }
    }

    func end(_ tally: SubscriptionTally, by ending: SubscriptionEnding) {
        state.withLock { state in
            // The last one takes the place that becomes free.
            let last = state.live.removeLast()
            if last !== tally {
                state.live[tally.position] = last
                last.position = tally.position
            }
            state.valuesOfEnded += tally.valueCount
            switch ending {
            case .finished: state.finished += 1
            case .failed: state.failed += 1
            case .cancelled: state.cancelled += 1
            case .abandoned: state.abandoned += 1
            }
        }
    }

    /// What is true of this site at one moment.
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
