/// Accepts connections, and serves each on its own thread, until it is stopped.
final class Acceptor: Sendable {
    /// The state that the threads share. They do not retain the acceptor, so that it can be released while they run.
    private struct Context: Sendable {
        let listener: Socket
        let stop: Signal
        let threads: ThreadGroup
        let routes: RouteTable
        let recorder: Recorder
        let limits: LoopbackServer.Limits
        let http2: HTTP2Settings
    }

    private let threads = ThreadGroup()
    private let address: LoopbackServer.Address
    /// Released by the first stop, so that its descriptors are closed with the last thread.
    private let stopSignal: Locked<Signal?>

    /// Starts to accept connections. The acceptor closes the listener, also if it cannot start.
    init(
        _ listener: Socket, on address: LoopbackServer.Address, routes: RouteTable, recorder: Recorder,
        limits: LoopbackServer.Limits, http2: HTTP2Settings
    ) throws(LoopbackError) {
        self.address = address
        let signal = Signal()
        stopSignal = Locked(signal)
        let isRunning = signal.map { signal in
            let context = Context(
                listener: listener, stop: signal, threads: threads, routes: routes, recorder: recorder, limits: limits,
                http2: http2)
            return threads.start { Self.accept(context) }
        }
        guard isRunning == true else {
            listener.close()
            removeSocketFile()
            throw .cannotListen(on: "\(address)", code: outOfResources)
        }
    }

    /// Ends the threads and waits for them.
    func stop() {
        let signal = stopSignal.withLock { signal in
            let taken = signal
            signal = nil
            return taken
        }
        if let signal {
            signal.raise()
            removeSocketFile()
        }
        threads.waitUntilEmpty()
    }

    private func removeSocketFile() {
        if case .unixSocket(let path) = address { StreamsLoopback.removeSocketFile(path) }
    }

    private static func accept(_ context: Context) {
        let watches = [
            Watch(descriptor: context.listener.descriptor, interest: .reading),
            Watch(descriptor: context.stop.descriptor, interest: .hangup),
        ]
        while !context.stop.isRaised {
            switch context.listener.acceptConnection() {
            case .connection(let socket): serve(socket, context)
            case .nothing: _ = Watch.wait(for: watches, until: nil)
            // The connection stays in the queue, so that the listener stays ready: try again later.
            case .exhausted: _ = Watch.wait(for: [watches[1]], until: .now + .milliseconds(10))
            }
        }
        context.listener.close()
    }

    private static func serve(_ socket: Socket, _ context: Context) {
        if let size = context.limits.socketBuffers { socket.limitBuffers(to: size) }
        let number = context.recorder.record { journal in
            journal.acceptedConnections += 1
            journal.openConnections += 1
            return journal.acceptedConnections
        }
        let connection = ClientConnection(
            number: number, line: Line(socket: socket, stop: context.stop), routes: context.routes,
            recorder: context.recorder, headLimit: context.limits.head, recordingLimit: context.limits.recording,
            http2: context.http2, threads: context.threads)
        guard !context.threads.start({ connection.run() }) else { return }
        socket.close()
        context.recorder.record { $0.openConnections -= 1 }
    }
}
