/// The socket of a connection, with blocking calls that return when the server stops.
struct Line: Sendable {
    let socket: Socket
    let stop: Signal

    /// The reason why an exchange cannot continue.
    enum Break: Error {
        /// The server stops, or has no descriptors left.
        case stopped
        /// The client has ended its stream or reset the connection.
        case disconnected
        /// A fault requires a reset.
        case reset
        /// A fault requires the connection to be closed.
        case closed
        /// The request is malformed. The reply has the status.
        case malformed(status: Int, reason: String)
        /// A frame of a WebSocket is malformed. The connection is closed with the code 1002.
        case malformedFrame(reason: String)
    }

    /// Waits for bytes, and reads them.
    ///
    /// - Returns: The number of bytes; zero at the end of the client's stream.
    func read(into room: UnsafeMutableRawBufferPointer) throws(Break) -> Int {
        while true {
            guard !stop.isRaised else { throw .stopped }
            switch socket.read(into: room) {
            case .moved(let count): return count
            case .failed: throw .disconnected
            case .wouldBlock: try ready(.reading, until: nil)
            }
        }
    }

    /// Waits until the kernel accepts bytes, and writes them.
    ///
    /// - Parameter onBlock: Called if the kernel does not accept bytes immediately.
    /// - Returns: The number of bytes written.
    func write(_ bytes: UnsafeRawBufferPointer, onBlock: () -> Void) throws(Break) -> Int {
        while true {
            guard !stop.isRaised else { throw .stopped }
            switch socket.write(bytes) {
            case .moved(let count): return count
            case .failed: throw .disconnected
            case .wouldBlock:
                onBlock()
                try ready(.writing, until: nil)
            }
        }
    }

    /// Waits until a time, `nil` for no limit, or a signal.
    func pause(until deadline: ContinuousClock.Instant?, or signals: [Signal] = []) throws(Break) {
        try ready(.hangup, until: deadline, or: signals)
    }

    /// Waits until there are bytes to read, a time, or a signal.
    ///
    /// - Returns: Whether there are bytes, or the client's stream has ended.
    func waitForBytes(until deadline: ContinuousClock.Instant?, or signals: [Signal]) throws(Break) -> Bool {
        try ready(.reading, until: deadline, or: signals)
    }

    /// Closes the connection so that the client receives the whole reply even while it still sends. Closing immediately
    /// would reset the connection. Waits a moment for the end of the client's stream (RFC 9112 section 9.6).
    func closeGently() {
        socket.finishWriting()
        let deadline = ContinuousClock.now + .seconds(1)
        let watches = watches(.reading)
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { room in
            // The deadline also applies to a client that does not stop sending.
            while !stop.isRaised, ContinuousClock.now < deadline {
                switch socket.read(into: room) {
                case .moved(0), .failed: return
                case .moved: continue
                case .wouldBlock:
                    guard Watch.wait(for: watches, until: deadline)[0] else { return }
                }
            }
        }
        socket.close()
    }

    private func watches(_ interest: Watch.Interest) -> [Watch] {
        [
            Watch(descriptor: socket.descriptor, interest: interest),
            Watch(descriptor: stop.descriptor, interest: .hangup),
        ]
    }

    /// Waits until the socket is ready, the deadline has passed, or a signal is raised. If only a hangup is awaited,
    /// it means that the client has disconnected.
    ///
    /// - Returns: Whether the socket is ready.
    @discardableResult
    private func ready(
        _ interest: Watch.Interest, until deadline: ContinuousClock.Instant?, or signals: [Signal] = []
    ) throws(Break) -> Bool {
        let watches = watches(interest) + signals.map { Watch(descriptor: $0.descriptor, interest: .hangup) }
        let isReady = Watch.wait(for: watches, until: deadline)
        if isReady[1] { throw .stopped }
        if isReady[0], interest == .hangup { throw .disconnected }
        return isReady[0]
    }
}
