#if !canImport(Darwin)
import Foundation
import Streams

/// A timer that a run loop runs until it is cancelled.
final class RunningTimer: Cancellable, @unchecked Sendable {
    // Safe because a timer may be stopped, and asked whether it was, on any thread, and nothing else is done to it.
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
