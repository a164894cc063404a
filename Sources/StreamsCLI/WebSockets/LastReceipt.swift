import Synchronization

/// The time at which a message was received last, on any thread.
final class LastReceipt: Sendable {
    private let state = Mutex(ContinuousClock.now)

    var time: ContinuousClock.Instant { state.withLock { $0 } }

    func update() {
        state.withLock { $0 = .now }
    }
}
