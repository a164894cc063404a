import Dispatch
import StreamsHTTP
import Synchronization

/// Handles the signals that stop the tool.
///
/// The first signal cancels the request, which then cleans up and ends the process. A cleanup that takes more than a
/// second, because it waits for a descriptor, is ended, and the partial file is removed. More signals within that second
/// change nothing, also while the tool writes its cookies at the end: `timeout` sends its signal to the process and to
/// its group, so that two arrive at once.
final class Interruption: Sendable {
    private struct State {
        var signal: CInt?
        var partialFiles: Set<String> = []
        var cancel: (@Sendable () -> Void)?
        var subscription: AnyCancellable?
    }

    private static let timeout = DispatchTimeInterval.seconds(1)

    private let state = Mutex(State())

    /// Starts to handle signals, except those that the parent has made this process ignore, as `nohup` does with SIGHUP.
    /// SIGINT is always handled, because shell scripts ignore it for every program in the background.
    init() {
        let numbers = [SIGINT, SIGTERM, SIGHUP].filter { $0 == SIGINT || !isIgnored($0) }
        let subscription = Operators.Signals(numbers).sink { [weak self] in self?.receive($0) }
        state.withLock { $0.subscription = subscription }
    }

    /// The first signal that was received, if any.
    var signal: CInt? { state.withLock { $0.signal } }

    /// Adds a file to remove if a signal ends the process. Added before it is created, it cannot be missed.
    func addPartialFile(_ path: String) {
        _ = state.withLock { $0.partialFiles.insert(path) }
    }

    /// Keeps a file that is complete, or has been removed.
    func removePartialFile(_ path: String) {
        _ = state.withLock { $0.partialFiles.remove(path) }
    }

    /// Calls a closure on a signal, or immediately if one has been received.
    func onSignal(_ cancel: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            state.cancel = cancel
            return state.signal != nil
        }
        if hasCome { cancel() }
    }

    private func receive(_ number: CInt) {
        let (isFirst, cancel, subscription) = state.withLock { state in
            defer { state.signal = state.signal ?? number }
            return (state.signal == nil, state.cancel, state.subscription)
        }
        guard isFirst else { return }
        cancel?()
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) { [weak self] in
            // The request may be over by now, and the tool write its cookies.
            withExtendedLifetime(subscription) { self?.leave(number) }
        }
    }

    private func leave(_ number: CInt) {
        state.withLock { state in
            for path in state.partialFiles { unlink(path) }
            // Under the lock, so that no other file is added and created before the end.
            _exit(ExitStatus.interrupted(by: number).rawValue)
        }
    }
}

/// Whether the process ignores a signal. Sets that anew, because only `signal` tells it on all platforms alike.
private func isIgnored(_ number: CInt) -> Bool {
    let handler = signal(number, SIG_DFL)
    signal(number, handler)
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
