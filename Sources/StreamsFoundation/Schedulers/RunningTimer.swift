#if !canImport(Combine)
import Foundation
import Streams

/// A timer that a run loop runs until it is cancelled.
final class RunningTimer: Cancellable, @unchecked Sendable {
    // Safe because a timer may be stopped on any thread, and nothing else is done to it.
    private let timer: Timer

    init(timer: Timer) {
        self.timer = timer
    }

    func cancel() {
        timer.invalidate()
    }
}
#endif
