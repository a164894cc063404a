import Dispatch
import Synchronization

/// The exchanges of a soak: those under way, how the others ended, and what was wrong.
final class Ledger: Sendable {
    private struct State {
        var underWay: [Int: (start: ContinuousClock.Instant, name: String)] = [:]
        var outcomes: [String: Int] = [:]
        var breaches: [String] = []
        var breachCount = 0
    }

    /// The reasons that neither the end of the server nor a lack of descriptors explains, but a fault of the client.
    private static let inexplicable: Set = [
        "decoding", "redirect.leaves-origin", "redirect.loop", "redirect.unfollowable", "thrown.body",
        "transfer.undecodable-content",
    ]

    private let state = Mutex(State())
    /// Signalled at the end of each exchange.
    let places: DispatchSemaphore

    init(concurrency: Int) {
        places = DispatchSemaphore(value: concurrency)
    }

    func begin(_ number: Int, _ name: String) {
        state.withLock { $0.underWay[number] = (.now, name) }
    }

    func end(_ number: Int, _ outcome: String) {
        let wasUnderWay = state.withLock { state in
            state.outcomes[outcome, default: 0] += 1
            return state.underWay.removeValue(forKey: number) != nil
        }
        if Self.inexplicable.contains(outcome) { report("exchange \(number): \(outcome)") }
        if wasUnderWay { places.signal() } else { report("exchange \(number): a second end") }
    }

    func report(_ breach: String) {
        state.withLock { state in
            state.breachCount += 1
            // The first ones tell what is wrong.
            if state.breaches.count < 50 { state.breaches.append(breach) }
        }
    }

    /// Reports the exchanges under way that are older than a duration as lost.
    ///
    /// - Parameter snapshot: The snapshots of the clients.
    func reportLost(after limit: Duration, _ snapshot: () -> String) {
        let lost = state.withLock { state in state.underWay.filter { $0.value.start + limit < .now } }
        if !lost.isEmpty { tell(snapshot()) }
        for (number, exchange) in lost {
            state.withLock { $0.underWay[number] = nil }
            report("exchange \(number): \(exchange.name) has no end")
            places.signal()
        }
    }

    var countUnderWay: Int { state.withLock { $0.underWay.count } }
    var breachCount: Int { state.withLock { $0.breachCount } }

    var summary: String {
        state.withLock { state in
            let outcomes = state.outcomes.sorted { $0.value > $1.value }.map { "\($0.value)\t\($0.key)" }
            return (outcomes + ["\(state.breachCount)\tbreaches"] + state.breaches).joined(separator: "\n")
        }
    }
}
