/// One connection's socket, in blocking calls that end when the server stops.
struct Line: Sendable {
    let socket: Socket
    let stop: Signal

    /// Why an exchange cannot go on.
    enum Break: Error {
        /// The server stops, or has no descriptors left to wait with.
        case stopped
        /// The client has ended its stream or reset the connection.
        case disconnected
        /// A fault asks for a reset.
        case reset
        /// A fault asks for an orderly end.
        case closed
        /// The client's bytes are not HTTP; answered with this status.
        case malformed(status: Int, reason: String)
    }

    /// Reads what there is, waiting for it.
    ///
    /// - Returns: the number of bytes; zero at the end of the client's stream.
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

    /// Writes what the kernel takes, waiting for it to take something.
    ///
    /// - Parameter onBlock: called when it takes nothing for now.
    /// - Returns: the number of bytes taken.
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

    /// Waits for a time, or without end.
    func pause(until deadline: ContinuousClock.Instant?) throws(Break) {
        try ready(.hangup, until: deadline)
    }

    /// Waits until the gate opens.
    func hold(at gate: Gate) throws(Break) {
        switch gate.passage() {
        case .free: break
        case .impossible: throw .stopped
        case .wait(let signal): try ready(.hangup, until: nil, or: signal)
        }
    }

    /// Closes in order: what was written reaches the client even while it still sends, which a plain close would answer
    /// with a reset. Waits a moment for the client's end of the stream (RFC 9112 section 9.6).
    func closeGently() {
        socket.finishWriting()
        let deadline = ContinuousClock.now + .seconds(1)
        let watches = watches(.reading)
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { room in
            // A client that never stops sending is not waited for any longer than a silent one.
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

    /// Returns when the socket is ready, the time is over, or the signal raised. A hangup, as all that was waited for,
    /// means that the client has gone.
    private func ready(
        _ interest: Watch.Interest, until deadline: ContinuousClock.Instant?, or signal: Signal? = nil
    ) throws(Break) {
        var watches = watches(interest)
        if let signal { watches.append(Watch(descriptor: signal.descriptor, interest: .hangup)) }
        let isReady = Watch.wait(for: watches, until: deadline)
        if isReady[1] { throw .stopped }
        if isReady[0], interest == .hangup { throw .disconnected }
    }
}
