import CLibcurl
import Dispatch

/// Drives a transport's transfers, on a thread of its own: take in commands, let libcurl act, deliver, wait.
///
/// libcurl is called by one thread at a time, and never from inside its callbacks. That is the engine's, except that a
/// caller starts a transfer by itself where nothing else is under way and the request can go out at once. A caller who
/// waits for it anyway, and need not wait for long as it seems, then stays in the thread's place until it is over: an
/// answer that comes at once is less work than to wake two threads.
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
    /// Wakes the thread when it sleeps and nothing is under way.
    private let alarm = DispatchSemaphore(value: 0)
    private let maxCallerWait: Duration
    @exclusivity(unchecked) private var loop: CurlLoop

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
        maxCallerWait = configuration.maxCallerWait
        loop = CurlLoop(configuration, reactor: try CurlReactor(wakeDescriptor: wakeSignal.readable))
        try EngineThread.start { [self] in run() }
    }

    /// Starts a transfer. Legal from any thread.
    ///
    /// - Returns: Whether it is over already.
    func start(_ transfer: CurlTransfer) -> Bool {
        guard transfer.mayStartAnywhere, borrow() else {
            post(.start(transfer))
            return false
        }
        let start = ExitGate.passIfOpen { loop.startByCaller(transfer) } ?? .impossible
        let isOver = start != .impossible && attend(transfer, after: start)
        giveBack(after: start, of: transfer)
        return isOver
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
        let call = inbox.withLock { inbox in
            guard !inbox.isOver else { return CurlTenancy.Call.none }
            change(&inbox)
            inbox.hasNews = true
            return inbox.tenancy.announce()
        }
        switch call {
        case .none: break
        case .signal: wakeSignal.raise()
        case .wake: alarm.signal()
        }
    }
}

// MARK: On a caller's thread

extension CurlEngine {
    private func borrow() -> Bool {
        inbox.withLock { inbox in !inbox.hasNews && inbox.tenancy.borrow() }
    }

    /// Waits for a transfer's end in the thread's place, if that is expected at once: for a moment, and until somebody else
    /// wants attention. What the transfer brings meanwhile is delivered here.
    ///
    /// - Returns: Whether it is over.
    private func attend(_ transfer: CurlTransfer, after start: CurlLoop.Start) -> Bool {
        guard transfer.isAwaited, maxCallerWait > .zero, loop.expectsAnswerAtOnce() else { return false }
        let end = ContinuousClock.now + maxCallerWait
        // An answer may have come with the sending of the request.
        var patience = start == .quiet ? loop.patience(until: end) : 0
        while true {
            let count = loop.reactor.wait(milliseconds: patience)
            let isOver = ExitGate.passIfOpen {
                if loop.act(onEvents: count) { wakeSignal.clear() }
                loop.run([])
                return transfer.place == nil
            }
            if isOver == true { return true }
            // What is held goes on when the caller has gone back, who asks for more.
            guard isOver != nil, !transfer.isHeld, !isCalled, ContinuousClock.now < end else {
                loop.stopAttending()
                return false
            }
            patience = loop.patience(until: end)
        }
    }

    /// Whether there is something for the thread to do.
    private var isCalled: Bool { inbox.withLock { $0.hasNews } }

    private func giveBack(after start: CurlLoop.Start, of transfer: CurlTransfer) {
        let isIdle = start != .impossible && loop.isQuiet
        let mustWake = inbox.withLock { inbox in
            if start == .impossible {
                inbox.commands.append(.start(transfer))
                inbox.hasNews = true
            }
            return inbox.tenancy.giveBack(isIdle: isIdle && !inbox.hasNews)
        }
        if mustWake { alarm.signal() }
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

    /// Waits until there is something to do.
    private func wait() {
        if loop.isIdle { sleep() } else { watch() }
    }

    /// Waits until a socket, a timer or another thread wants attention, and lets libcurl see to the sockets.
    private func watch() {
        let patience = loop.patience()
        let mayWait = inbox.withLock { inbox in
            if !inbox.hasNews { inbox.tenancy.watch() }
            return !inbox.hasNews
        }
        let count = loop.reactor.wait(milliseconds: mayWait ? patience : 0)
        inbox.withLock { $0.tenancy.endWatch() }
        if ExitGate.pass({ loop.act(onEvents: count) }) { wakeSignal.clear() }
    }

    /// Sleeps until there is something to do; meanwhile callers may have the loop.
    private func sleep() {
        let patience = loop.patience()
        let maySleep = inbox.withLock { inbox in
            if !inbox.hasNews { inbox.tenancy.leave() }
            return !inbox.hasNews
        }
        guard maySleep else { return }
        let end = patience < 0 ? DispatchTime.distantFuture : .now() + .milliseconds(Int(patience))
        if alarm.wait(timeout: end) == .timedOut, !inbox.withLock({ $0.tenancy.reclaim() }) { alarm.wait() }
    }
}
