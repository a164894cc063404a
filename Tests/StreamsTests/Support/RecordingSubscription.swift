@testable import Streams

/// A subscription that records the calls of `request(_:)` and `cancel()`.
final class RecordingSubscription: Subscription, BackpressureTraits, @unchecked Sendable {
    // Safe because the lock guards the entries, and the closure is set before the subscription is used.
    private let state = Locked<[String]>([])
    let dropsUnrequestedValues: Bool
    var onCancel: () -> Void = {}

    init(dropsUnrequestedValues: Bool = false) {
        self.dropsUnrequestedValues = dropsUnrequestedValues
    }

    var entries: [String] { state.withLock { $0 } }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.append("\(demand)") }
    }

    func cancel() {
        state.withLock { $0.append("cancel") }
        onCancel()
    }
}
