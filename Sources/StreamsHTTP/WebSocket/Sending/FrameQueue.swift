import Synchronization

/// The frames that a WebSocket sends. The transport takes them when its connection has room, so nothing is queued but
/// the messages of callers that wait.
final class FrameQueue: Sendable {
    private struct State {
        var frames = OutgoingFrames()
        /// The number of the connection that takes the frames: a redirect leads to another one.
        var connection = 0
        /// Whether the connection has ended.
        var isCut = false
        /// Whether the transport has asked for frames and got none.
        var isAwaited = false
        var onReadable: (@Sendable () -> Void)?
        var onClose: (@Sendable () -> Void)?
        /// The reason for which nothing can be sent any more.
        var failure: HTTPError.Reason?
        /// The calls that wait for the end of the connection.
        var endWaiters: [CheckedContinuation<Void, Never>] = []
        var hasEnded = false

        /// The reason for which a message was not sent.
        var reason: HTTPError.Reason { failure ?? (isCut ? .webSocket(.lost) : .cancelled) }
    }

    /// The frames as the content of one exchange.
    private final class Source: HTTPBody.Source {
        private let queue: FrameQueue
        private let connection: Int

        init(_ queue: FrameQueue, connection: Int) {
            self.queue = queue
            self.connection = connection
        }

        var length: Int64? { nil }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult { queue.read(into: buffer) }

        func cancel() {
            queue.cut(connection)
        }
    }

    private let state = Locked(State())
    private let maskKeys = Locked(MaskKeys())
    /// The compression; `nil` if none has been agreed on.
    private let deflater = Locked<MessageDeflater?>(nil)

    /// Returns the frames as the content of an exchange.
    ///
    /// - Parameter onReadable: Called when there are frames again. Any thread may call it.
    func open(_ onReadable: @escaping @Sendable () -> Void) -> any HTTPBody.Source {
        let (connection, released) = state.withLock { state in
            state.connection += 1
            state.isCut = false
            state.isAwaited = false
            return (state.connection, exchange(&state.onReadable, with: onReadable))
        }
        withExtendedLifetime(released) {}
        return Source(self, connection: connection)
    }

    /// Calls a closure when the program closes the connection.
    func onClose(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onClose = action }
    }

    /// Compresses the messages from now on.
    func compress(by deflater: MessageDeflater?) {
        self.deflater.withLock { $0 = deflater }
    }

    /// The number of bytes of messages that the transport has taken.
    var takenCount: Int { state.withLock { $0.frames.takenCount } }

    /// Whether the transport has taken the close frame.
    var hasSentClose: Bool { state.withLock { $0.frames.hasSentClose } }
}

// MARK: Sending

extension FrameQueue {
    /// Adds a message at the end.
    @discardableResult
    func add(_ message: WebSocket.Message) -> PendingWrite {
        let writer = writer(of: message)
        let write = update { state -> PendingWrite? in
            guard state.frames.acceptsMessages, !state.isCut, !state.hasEnded else { return nil }
            return state.frames.add(writer)
        }
        return write ?? .refused()
    }

    /// Waits until a message has been written to the connection. If the task is cancelled before the message has begun,
    /// it is withdrawn.
    ///
    /// - Throws: ``HTTPError/Reason/cancelled``, or the reason for which nothing can be sent any more.
    func wait(for write: PendingWrite) async throws(HTTPError.Reason) {
        let isWritten = await withCancellationHandler {
            await write.wait()
        } onCancel: {
            if state.withLock({ $0.frames.withdraw(write) }) { write.end(isWritten: false) }
        }
        guard !isWritten else { return }
        throw state.withLock { $0.reason }
    }

    /// Answers a ping of the peer.
    func send(pong payload: Data) {
        update { $0.frames.add(pong: payload) }
    }

    func sendPing() {
        update { $0.frames.addPing() }
    }

    /// Sends a close frame after the messages that wait, for the program.
    func close(_ code: WebSocketCloseCode, _ reason: String) {
        let payload = code == .noCode ? Data() : Data(code.bytes + Array(reason.utf8))
        let onClose = update { state in
            state.failure = state.failure ?? .webSocket(.closed(code, reason))
            state.frames.close(payload)
            return state.onClose
        }
        onClose?()
    }

    /// Sends a close frame in place of the messages that have not begun.
    ///
    /// - Parameter failure: The reason for which nothing is sent any more.
    func closeAtOnce(_ code: WebSocketCloseCode, _ failure: HTTPError.Reason) {
        let payload = code == .noCode ? Data() : Data(code.bytes)
        let dropped = update { state in
            state.failure = state.failure ?? failure
            state.frames.close(payload)
            return state.frames.dropMessages()
        }
        for write in dropped { write.end(isWritten: false) }
    }

    /// Changes the frames, and tells the transport if it waits for some.
    @discardableResult
    private func update<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, wake) = state.withLock { state in
            let result = change(&state)
            return (result, exchange(&state.isAwaited, with: false) ? state.onReadable : nil)
        }
        wake?()
        return result
    }
}

extension FrameQueue {
    /// The size from which a message is compressed. Smaller ones gain nothing.
    private static let leastCompressedSize = 64

    /// Returns the writer of the frames of a message.
    private func writer(of message: WebSocket.Message) -> FrameWriter {
        let (kind, payload): (FrameKind, Data) =
            switch message {
            case .text(let text): (.text, Data(text.utf8))
            case .binary(let data): (.binary, data)
            }
        guard payload.count >= Self.leastCompressedSize,
            let compressed = deflater.withLock({ $0?.deflate(payload) }), compressed.count < payload.count
        else { return FrameWriter(kind, payload) }
        return FrameWriter(kind, compressed, isCompressed: true)
    }
}

// MARK: The end

extension FrameQueue {
    /// Ends the sending, as the connection has ended.
    ///
    /// - Parameter reason: The reason for which nothing can be sent any more, unless there is one already.
    func end(_ reason: HTTPError.Reason) {
        let (unwritten, endWaiters, released) = state.withLock { state in
            state.failure = state.failure ?? reason
            state.hasEnded = true
            let released = (state.onReadable.take(), state.onClose.take())
            return (state.frames.end(), exchange(&state.endWaiters, with: []), released)
        }
        withExtendedLifetime(released) {}
        for write in unwritten { write.end(isWritten: false) }
        for waiter in endWaiters { waiter.resume() }
    }

    /// Waits until the connection has ended.
    func waitUntilEnd() async {
        await withCheckedContinuation { waiter in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.endWaiters.append(waiter) }
                return state.hasEnded
            }
            if hasEnded { waiter.resume() }
        }
    }

    /// Ends the sending on a connection, which takes nothing any more. What it sent may not have been read yet.
    private func cut(_ connection: Int) {
        let unwritten = state.withLock { state -> [PendingWrite] in
            guard connection == state.connection, !state.isCut else { return [] }
            state.isCut = true
            return state.frames.dropUnwritten()
        }
        for write in unwritten { write.end(isWritten: false) }
    }

    /// Writes frames. The transport asks for more when it has sent all that it got before.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
        let (result, written) = state.withLock { state -> (HTTPBody.ReadResult, [PendingWrite]) in
            let written = state.frames.takeWritten()
            let count = state.frames.write(to: buffer) { maskKeys.withLock { $0.next() } }
            if count > 0 { return (.bytes(count), written) }
            if state.frames.hasSentClose { return (.end, written) }
            state.isAwaited = true
            return (.waiting, written)
        }
        for write in written { write.end(isWritten: true) }
        return result
    }
}

extension WebSocketCloseCode {
    /// The code as a close frame has it.
    fileprivate var bytes: [UInt8] { [UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)] }
}
