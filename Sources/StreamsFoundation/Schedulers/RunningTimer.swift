#if !canImport(Darwin)
import Foundation
import Streams

/// A timer of a run loop, as a cancellable.
final class RunningTimer: Cancellable, @unchecked Sendable {
    // Safe because `invalidate` and `isValid` may be called on any thread, and nothing else is called.
    private let timer: Timer

    init(timer: Timer) {
        self.timer = timer
    }

    var isValid: Bool { timer.isValid }

    func cancel() {
        timer.invalidate()
    }
}
#endif
