import Dispatch
import StreamsHTTP
import Synchronization

/// Listens for the signals that ask the tool to stop, and sees to it that it stops.
///
/// The first signal cancels what is under way, which then cleans up and ends the process. A second one, or a clean-up
/// that hangs on a descriptor nobody reads, ends the process at once; the partial file is removed also then.
final class Interruption: Sendable {
    private struct State {
        var signal: CInt?
        var partialFile: String?
        var cancel: (@Sendable () -> Void)?
    }

    private static let patience = DispatchTimeInterval.seconds(1)

    private let state = Mutex(State())
    private let queue: DispatchQueue
    // Safe because it is only touched by the initialiser and the deinitialiser.
    nonisolated(unsafe) private let source: (any DispatchSourceRead)?

    /// Starts listening. There is one for a process.
    init() {
        let queue = DispatchQueue(label: "streams.interruption")
        self.queue = queue
        let descriptor = SignalPipe.open(for: [SIGINT, SIGTERM, SIGHUP])
        source = descriptor.map { DispatchSource.makeReadSource(fileDescriptor: $0, queue: queue) }
        source?.setEventHandler { [weak self] in
            if let number = descriptor.flatMap(SignalPipe.next) { self?.receive(number) }
        }
        source?.activate()
    }

    /// The signal that came, if one has.
    var signal: CInt? { state.withLock { $0.signal } }

    /// The file to remove when the process ends before its time.
    func setPartialFile(_ path: String?) {
        state.withLock { $0.partialFile = path }
    }

    /// Has a signal call a closure: at once when it has come already.
    func onSignal(_ cancel: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            state.cancel = cancel
            return state.signal != nil
        }
        if hasCome { cancel() }
    }

    private func receive(_ number: CInt) {
        let (isFirst, cancel) = state.withLock { state in
            defer { state.signal = state.signal ?? number }
            return (state.signal == nil, state.cancel)
        }
        guard isFirst else { return leave(number) }
        cancel?()
        queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in self?.leave(number) }
    }

    private func leave(_ number: CInt) {
        if let path = state.withLock({ $0.partialFile }) { unlink(path) }
        _exit(ExitStatus.interrupted(by: number).rawValue)
    }
}
