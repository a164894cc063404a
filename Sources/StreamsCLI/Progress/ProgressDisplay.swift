import Dispatch
import StreamsHTTP
import Synchronization

/// Shows how a transfer goes: a bar that is redrawn in a terminal, a line every now and then in a log.
///
/// Events only leave word of how far it has come; a clock draws, so that a fast transfer is not slowed down by its
/// display, and a stalled one is seen to stall.
final class ProgressDisplay: Sendable {
    private struct State {
        var transfer: Transfer?
        var shown: TransferProgress?
    }

    // Safe because it is only touched by the initialiser and the deinitialiser.
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    /// One direction of one attempt.
    private struct Transfer {
        let label: String
        let start = ContinuousClock.now
        var progress: TransferProgress?
        var rate = TransferRate()
    }

    private let console: Console
    private let summarisesAll: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - console: Where it is shown.
    ///   - logInterval: How long the lines of a log are apart.
    ///   - summarisesAll: Whether also a transfer that was over before it could be shown gets its last line.
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

    /// Begins a transfer, in place of the one before.
    func begin(_ label: String) {
        state.withLock { state in
            state = State(transfer: Transfer(label: label))
            state.transfer?.rate.record(0, at: .zero)
        }
    }

    /// Notes how far the transfer has come.
    func update(_ progress: TransferProgress) {
        state.withLock { $0.transfer?.progress = progress }
    }

    /// Ends a transfer that is complete, and says what it came to.
    ///
    /// - Returns: How far it came; `nil` where nothing was transferred.
    @discardableResult
    func finish() -> TransferProgress? {
        state.withLock { state in
            defer { state = State() }
            if let text = Self.text(state.transfer), summarisesAll || state.shown != nil { console.say(text.summary) }
            return state.transfer?.progress
        }
    }

    /// Ends a transfer that came to nothing.
    func drop() {
        state.withLock { state in
            if state.shown != nil { console.erase() }
            state = State()
        }
    }

    // The console is written to under the lock, so that nothing is drawn of a transfer that has ended.
    private func show() {
        state.withLock { state in
            guard let transfer = state.transfer, let progress = transfer.progress else { return }
            state.transfer?.rate.record(progress.completed, at: .now - transfer.start)
            guard console.isTerminal || state.shown != progress, let text = Self.text(state.transfer) else { return }
            state.shown = progress
            if console.isTerminal { console.draw(text.bar(width: console.width)) } else { console.say(text.logLine) }
        }
    }

    private static func text(_ transfer: Transfer?) -> ProgressText? {
        guard let transfer, let progress = transfer.progress else { return nil }
        let elapsed = ContinuousClock.now - transfer.start
        return ProgressText(
            label: transfer.label, progress: progress, rate: transfer.rate.bytesPerSecond(at: elapsed),
            left: transfer.rate.timeLeft(for: progress, at: elapsed), elapsed: elapsed)
    }
}
