import Dispatch
import StreamsHTTP
import Synchronization

/// Shows the progress of a transfer: a bar that is redrawn in a terminal, or lines at intervals in a log.
///
/// Events only store the progress, and a timer displays it. So the display does not slow down a fast transfer, and it
/// also shows that a transfer has stalled.
final class ProgressDisplay: Sendable {
    private struct State {
        var transfer: Transfer?
        var shown: TransferProgress?
    }

    // Safe because only the initializer and the deinitializer use it.
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    /// One direction of one attempt.
    private struct Transfer {
        let label: String
        let start = ContinuousClock.now
        var progress: TransferProgress?
        /// The bytes that were there before, which do not count towards the rate.
        var resumed: Int64 = 0
        var rate = TransferProgress.Rate()
    }

    private let console: Console
    private let summarisesAll: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - console: The console to show it on.
    ///   - logInterval: The time between the lines of a log.
    ///   - summarisesAll: Whether a transfer that ended before it was shown has a summary too.
    init(on console: Console, logInterval: DispatchTimeInterval = .seconds(1), summarisesAll: Bool) {
        self.console = console
        self.summarisesAll = summarisesAll
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "streams.progress"))
        let interval = console.isTerminal ? DispatchTimeInterval.milliseconds(100) : logInterval
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { [weak self] in self?.show() }
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    /// Begins a transfer, which replaces the previous one.
    func begin(_ label: String) {
        state.withLock { state in
            state = State(transfer: Transfer(label: label))
            state.transfer?.rate.record(0, at: .zero)
        }
    }

    /// Stores the progress of the transfer.
    func update(_ progress: TransferProgress) {
        state.withLock { $0.transfer?.progress = progress }
    }

    /// Counts bytes as transferred before.
    func resume(_ bytes: Int64) {
        state.withLock { $0.transfer?.resumed += bytes }
    }

    /// Ends a complete transfer, and shows its summary.
    ///
    /// - Returns: The last progress; `nil` if nothing was transferred.
    @discardableResult
    func finish() -> TransferProgress? {
        state.withLock { state in
            defer { state = State() }
            if let text = Self.text(state.transfer), summarisesAll || state.shown != nil { console.say(text.summary) }
            return state.transfer?.progress
        }
    }

    /// Ends a transfer that failed.
    func drop() {
        state.withLock { state in
            if state.shown != nil { console.erase() }
            state = State()
        }
    }

    // Writes under the lock, so that a transfer that has ended is not drawn.
    private func show() {
        state.withLock { state in
            guard let transfer = state.transfer, let progress = transfer.progress else { return }
            let received = max(progress.completed - transfer.resumed, 0)
            state.transfer?.rate.record(received, at: .now - transfer.start)
            guard console.isTerminal || state.shown != progress, let text = Self.text(state.transfer) else { return }
            state.shown = progress
            if console.isTerminal { console.draw(text.bar(width: console.width)) } else { console.say(text.logLine) }
        }
    }

    private static func text(_ transfer: Transfer?) -> ProgressText? {
        guard let transfer, let progress = transfer.progress else { return nil }
        let elapsed = ContinuousClock.now - transfer.start
        return ProgressText(
            label: transfer.label, progress: progress, resumed: transfer.resumed,
            rate: transfer.rate.bytesPerSecond(at: elapsed), left: transfer.rate.timeLeft(for: progress, at: elapsed),
            elapsed: elapsed)
    }
}
