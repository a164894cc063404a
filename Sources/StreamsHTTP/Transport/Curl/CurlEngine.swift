import CLibcurl

/// The thread that drives a transport's transfers: take in commands, let libcurl act, deliver, wait.
///
/// Every call to libcurl is made on this thread, and none from inside its callbacks. Its sockets are watched here and
/// not by Dispatch, whose sources and libcurl's ways of closing sockets do not go together.
final class CurlEngine: Sendable {
    enum Command: Sendable {
        case start(CurlTransfer)
        case abort(CurlTransfer)
        case resumeReceiving(CurlTransfer)
        case resumeSending(CurlTransfer)
    }

    private struct Inbox {
        var commands: [Command] = []
        var isRetired = false
        /// Whether the thread is gone, and nobody would take a command in.
        var isOver = false
        /// Whether something has changed since the thread looked last.
        var hasNews = false
        /// Whether the thread waits, and would not see what has changed.
        var isAsleep = false
    }

    /// The process in which the thread runs.
    let process = ProcessGeneration.current
    private let configuration: CurlTransport.Configuration
    private let inbox = Locked(Inbox())
    private let wakeSignal: WakeSignal

    private static let globalCode = {
        let code = curl_global_init(Int(CurlGlobalDefault.rawValue))
        ExitGate.register()
        return code
    }()

    /// Starts the thread.
    init(_ configuration: CurlTransport.Configuration) throws(TransportFailure) {
        guard Self.globalCode == 0 else { throw TransportFailure(curl: Self.globalCode) }
        self.configuration = configuration
        do {
            wakeSignal = try WakeSignal()
        } catch {
            throw TransportFailure(system: error.code)
        }
        let reactor = UncheckedTransfer(try CurlReactor(wakeDescriptor: wakeSignal.readable))
        try EngineThread.start { [self] in run(reactor.value) }
    }

    /// Hands the thread something to do. Legal from any thread.
    func post(_ command: Command) {
        signal { $0.commands.append(command) }
    }

    /// Lets the thread end when its transfers are over.
    func retire() {
        signal { $0.isRetired = true }
    }

    private func signal(_ change: (inout Inbox) -> Void) {
        let mustRaise = inbox.withLock { inbox in
            guard !inbox.isOver else { return false }
            change(&inbox)
            inbox.hasNews = true
            defer { inbox.isAsleep = false }
            return inbox.isAsleep
        }
        if mustRaise { wakeSignal.raise() }
    }

    /// - Returns: Whether there is nothing left to do, and never will be.
    private func close() -> Bool {
        inbox.withLock { inbox in
            inbox.isOver = inbox.commands.isEmpty
            return inbox.isOver
        }
    }

    private func run(_ reactor: CurlReactor) {
        var loop = CurlLoop(configuration, reactor: reactor)
        var commands: [Command] = []
        while !ExitGate.pass({ turn(&loop, &commands) }) {
            if loop.wait(mayBlock: fallAsleep()) { wakeSignal.clear() }
        }
        ExitGate.pass { loop.end() }
    }

    /// Lets the loop act on what has been asked. The commands are let go of before the thread waits: the exchange that
    /// one of them ends may be the last to hold the transport, whose end is what would wake the thread.
    ///
    /// - Parameter commands: Room for them, used again and again.
    /// - Returns: Whether there is nothing left to do, and never will be.
    private func turn(_ loop: inout CurlLoop, _ commands: inout [Command]) -> Bool {
        let isRetired = inbox.withLock { inbox in
            swap(&inbox.commands, &commands)
            inbox.hasNews = false
            inbox.isAsleep = false
            return inbox.isRetired
        }
        loop.run(commands)
        commands.removeAll(keepingCapacity: true)
        return isRetired && loop.isIdle && close()
    }

    /// - Returns: Whether the thread may wait: from now on it is woken.
    private func fallAsleep() -> Bool {
        inbox.withLock { inbox in
            inbox.isAsleep = !inbox.hasNews
            return inbox.isAsleep
        }
    }
}

/// Takes something to another thread, for good.
// Safe because whoever hands it over does not touch it again.
private struct UncheckedTransfer<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
