#if canImport(CLibcurl)
import CLibcurl

/// An event loop on a thread of its own that performs exchanges of a transport.
///
/// That thread alone uses the engine's handles of libcurl, and never from inside a callback. Other threads post commands, and wake the thread
/// if it waits. Sockets are watched with epoll or kqueue: Dispatch sources do not allow for the way libcurl closes
/// sockets.
// Safe because only the thread uses the loop, and the other properties are constants or guarded by the lock.
final class TransportEngine: @unchecked Sendable {
    enum Command: Sendable {
        case start(Exchange)
        case abort(Exchange)
        case resumeReceiving(Exchange)
        case resumeSending(Exchange)
        /// Ends the thread when no exchange is left.
        case retire
    }

    private struct Inbox {
        var commands: [Command] = []
        /// Whether the thread waits for sockets, so that it must be woken for a command.
        var isWaiting = false
        /// Whether the thread has ended, so that commands are dropped.
        var isClosed = false
    }

    /// The counts of the connections.
    let connections: ConnectionCounter
    /// The memory for large bodies.
    let chunkPool = ChunkPool()
    /// The origins of https that speak HTTP/1.1 alone.
    let http1Origins = HTTP1Origins()
    private let inbox = Locked(Inbox())
    private let wakeSignal: WakeSignal
    @exclusivity(unchecked) private var loop: TransportLoop

    private static let globalCode = {
        let code = curl_global_init(Int(CurlGlobalDefault.rawValue))
        ExitGate.register()
        return code
    }()

    /// Creates an engine and starts its thread.
    init(_ configuration: CurlTransport.Configuration, _ share: EngineShare) throws(TransportFailure) {
        guard Self.globalCode == 0 else { throw TransportFailure(curl: Self.globalCode) }
        let poller = try SocketPoller(reservedDescriptors: configuration.reservedDescriptors, share: share)
        wakeSignal = poller.wakeSignal
        connections = poller.connections
        loop = TransportLoop(configuration, poller: poller)
        share.join(wakeSignal)
        do throws(TransportFailure) {
            try EngineThread.start { [self] in run() }
        } catch {
            share.leave()
            throw error
        }
    }

    /// Posts a command to the thread. Can be called from any thread.
    func post(_ command: Command) {
        let mustWake = inbox.withLock { inbox in
            guard !inbox.isClosed else { return false }
            inbox.commands.append(command)
            // A thread that is about to be woken takes every command that comes until then.
            defer { inbox.isWaiting = false }
            return inbox.isWaiting
        }
        if mustWake { wakeSignal.raise() }
    }
}

// MARK: On the engine's thread

extension TransportEngine {
    private func run() {
        var commands: [Command] = []
        while true {
            let eventCount = wait()
            takeCommands(into: &commands)
            let isOver = ExitGate.pass { turn(eventCount, &commands) }
            if isOver { break }
        }
        ExitGate.pass { loop.closeConnections() }
    }

    /// Waits until a socket is ready, a timer is due or a command is posted.
    ///
    /// - Returns: The number of the poller's events.
    private func wait() -> Int {
        let timeout = loop.timeout()
        let mayWait = inbox.withLock { inbox in
            inbox.isWaiting = inbox.commands.isEmpty
            return inbox.isWaiting
        }
        return loop.poller.wait(milliseconds: mayWait ? timeout : 0)
    }

    /// Takes all posted commands.
    ///
    /// - Parameter commands: An empty array, whose memory the inbox uses from now on.
    private func takeCommands(into commands: inout [Command]) {
        inbox.withLock { inbox in
            inbox.isWaiting = false
            swap(&inbox.commands, &commands)
        }
    }

    /// Runs one iteration of the loop, and releases the commands: the exchange that one of them ends may have the last
    /// reference to the transport, whose end posts another.
    ///
    /// - Returns: Whether the thread can end.
    private func turn(_ eventCount: Int, _ commands: inout [Command]) -> Bool {
        loop.run(eventCount: eventCount, commands)
        commands.removeAll(keepingCapacity: true)
        return loop.isOver && close()
    }

    /// Closes the inbox, unless commands have been posted.
    ///
    /// - Returns: Whether the inbox is closed.
    private func close() -> Bool {
        inbox.withLock { inbox in
            inbox.isClosed = inbox.commands.isEmpty
            return inbox.isClosed
        }
    }
}
#endif
