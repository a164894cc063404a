#if !canImport(Darwin)
import Foundation
import Streams

/// A repeated timer of a run loop or a queue, from its start to its cancellation.
final class RunningTimer: Cancellable, Sendable {
    private struct State {
        var work: (any Cancellable)?
        var isCancelled = false
    }

    private let state = Locked(State())

    var isValid: Bool { state.withLock { !$0.isCancelled } }

    /// Starts the timer, unless it was cancelled meanwhile.
    func start(_ start: () -> any Cancellable) {
        let work = start()
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.work = work }
            return state.isCancelled
        }
        if isCancelled { work.cancel() }
    }

    func cancel() {
        let work = state.withLock { state in
            state.isCancelled = true
            return state.work.take()
        }
        work?.cancel()
    }
}

extension RunLoop {
    /// The queue that runs the actions and timers of the main run loop, nil for other run loops.
    ///
    /// In a program with an asynchronous `main`, nothing runs the main run loop on Linux, and its timers never fire. The
    /// main queue is drained there too, and the main run loop drains it wherever that runs.
    var queue: DispatchQueue? { self === RunLoop.main ? .main : nil }

    /// Starts a repeated timer.
    ///
    /// - Parameters:
    ///   - date: The date of the first run.
    ///   - mode: The mode of the run loop. The main queue is drained in the common modes only, so a timer of another
    ///     mode is a timer of the main run loop itself.
    func startTimer(
        at date: Date, interval: TimeInterval, tolerance: TimeInterval?, mode: RunLoop.Mode,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        if let queue, mode == .default || mode == .common {
            // The shortest interval of Foundation's timers.
            let interval = max(0.0001, interval)
            return queue.schedule(
                after: queue.now.advanced(by: .seconds(date.timeIntervalSinceNow)), interval: .seconds(interval),
                tolerance: .seconds(max(0, tolerance ?? 0)), action)
        }
        let timer = Timer(fire: date, interval: interval, repeats: true) { _ in action() }
        if let tolerance { timer.tolerance = tolerance }
        add(timer, forMode: mode)
        return RunLoopTimer(timer: timer)
    }
}

/// A timer of a run loop, as a cancellable.
private struct RunLoopTimer: Cancellable {
    let timer: Timer

    func cancel() {
        timer.invalidate()
    }
}
#endif
