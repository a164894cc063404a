@testable import Streams

/// A subscription that records the calls of `request(_:)` and `cancel()`.
final class RecordingSubscription: Subscription, @unchecked Sendable {
    // Safe because the lock guards the entries, and the closure is set before the subscription is used.
    private let state = Locked<[String]>([])
    var onCancel: () -> Void = {}

    var entries: [String] { state.withLock { $0 } }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.append("\(demand)") }
    }

    func cancel() {
        state.withLock { $0.append("cancel") }
        onCancel()
    }
}
