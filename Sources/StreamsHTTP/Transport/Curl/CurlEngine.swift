import CLibcurl
import Dispatch

/// Drives a transport's transfers, on a thread of its own: take in commands, let libcurl act, deliver, wait.
///
/// libcurl is called by one thread at a time, and never from inside its callbacks. That is the engine's, except that a
/// caller starts a transfer by itself where the thread waits and the request can go out at once: to have the thread
/// woken for it would take longer than to do it. Whatever there is to tell is told on the engine's thread.
///
/// Sockets are watched here and not by Dispatch, whose sources and libcurl's ways of closing sockets do not go together.
// Safe because the loop is used by its tenant alone, the rest is made before the thread is, and constant.
final class CurlEngine: @unchecked Sendable {
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
        var tenancy = CurlTenancy()
    }

    /// The process in which the thread runs.
    let process = ProcessGeneration.current
    private let inbox = Locked(Inbox())
    private let wakeSignal: WakeSignal
    /// Tells the thread that the caller it waits for is done.
    private let isReturned = DispatchSemaphore(value: 0)
    private var loop: CurlLoop

    private static let globalCode = {
        let code = curl_global_init(Int(CurlGlobalDefault.rawValue))
        ExitGate.register()
        return code
    }()

    /// Starts the thread.
    init(_ configuration: CurlTransport.Configuration) throws(TransportFailure) {
        guard Self.globalCode == 0 else { throw TransportFailure(curl: Self.globalCode) }
        do {
            wakeSignal = try WakeSignal()
        } catch {
            throw TransportFailure(system: error.code)
        }
        loop = CurlLoop(configuration, reactor: try CurlReactor(wakeDescriptor: wakeSignal.readable))
        try EngineThread.start { [self] in run() }
    }

    /// Starts a transfer. Legal from any thread.
    func start(_ transfer: CurlTransfer) {
        guard transfer.mayStartAnywhere, borrow() else { return post(.start(transfer)) }
        let start = ExitGate.passIfOpen { loop.startByCaller(transfer) } ?? .impossible
        giveBack(after: start, of: transfer)
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
            return inbox.tenancy.announce()
        }
        if mustRaise { wakeSignal.raise() }
    }
}

// MARK: On a caller's thread

extension CurlEngine {
    private func borrow() -> Bool {
        inbox.withLock { inbox in !inbox.hasNews && inbox.tenancy.borrow() }
    }

    private func giveBack(after start: CurlLoop.Start, of transfer: CurlTransfer) {
        let step = inbox.withLock { inbox in
            if start == .impossible {
                inbox.commands.append(.start(transfer))
                inbox.hasNews = true
            }
            return inbox.tenancy.giveBack(hasNews: inbox.hasNews || start == .news)
        }
        switch step {
        case .leave: break
        case .wake: wakeSignal.raise()
        case .resume: isReturned.signal()
        }
    }
}

// MARK: On the engine's thread

extension CurlEngine {
    private func run() {
        var commands: [Command] = []
        while !ExitGate.pass({ turn(&commands) }) { wait() }
        ExitGate.pass { loop.end() }
    }

    /// Lets the loop act on what has been asked. The commands are let go of before the thread waits: the exchange that
    /// one of them ends may be the last to hold the transport, whose end is what would wake the thread.
    ///
    /// - Parameter commands: Room for them, used again and again.
    /// - Returns: Whether there is nothing left to do, and never will be.
    private func turn(_ commands: inout [Command]) -> Bool {
        let isRetired = inbox.withLock { inbox in
            swap(&inbox.commands, &commands)
            inbox.hasNews = false
            return inbox.isRetired
        }
        loop.run(commands)
        commands.removeAll(keepingCapacity: true)
        return isRetired && loop.isIdle && close()
    }

    /// - Returns: Whether there is nothing left to do, and never will be.
    private func close() -> Bool {
        inbox.withLock { inbox in
            inbox.isOver = inbox.commands.isEmpty
            return inbox.isOver
        }
    }

    /// Sleeps until a socket, a timer or another thread wants attention, and lets libcurl see to the sockets.
    private func wait() {
        let patience = loop.patience()
        let reactor = loop.reactor
        let count = reactor.wait(milliseconds: fallAsleep() ? patience : 0)
        if inbox.withLock({ $0.tenancy.reclaim() }) { isReturned.wait() }
        if ExitGate.pass({ loop.act(onEvents: count) }) { wakeSignal.clear() }
    }

    /// - Returns: Whether the thread may wait: from now on it is woken, and callers may have the loop.
    private func fallAsleep() -> Bool {
        inbox.withLock { inbox in
            if !inbox.hasNews { inbox.tenancy.sleep() }
            return !inbox.hasNews
        }
    }
}
