extension WebSocket {
    /// Sends a message.
    ///
    /// The call returns when the message has been written to the connection, and waits while the connection has no room.
    /// It does not tell whether the peer has received the message. Messages are sent in the order of the calls. One that
    /// is larger than a buffer is sent in fragments.
    ///
    /// If the task is cancelled, the call throws: a message that has not begun is not sent, and one that has begun is
    /// sent to its end. Waiting has no timeout of its own; see ``WebSocketOptions/pingInterval``.
    ///
    /// - Throws: An error whose reason is ``HTTPError/Reason/cancelled``; or the reason for which nothing can be sent any
    ///   more, such as ``HTTPError/WebSocketFailure/closed`` or ``HTTPError/WebSocketFailure/lost``.
    public func send(_ message: Message) async throws(HTTPError) {
        try await wait(for: frames.add(message))
    }

    /// Sends the messages of a publisher, until it finishes.
    ///
    /// A message is requested when fewer than 16 wait to be written, with no more than 256 KiB together. The connection stays
    /// open at the end. If the task is cancelled, so is the publisher. Messages that were published before its failure or
    /// before the cancellation may still be sent.
    ///
    /// - Throws: The failure of the publisher, or the error of ``send(_:)``.
    public func send<Messages: Publisher>(contentsOf messages: Messages) async throws
    where Messages.Output == Message {
        // To wait for each message would take several times as long as to write it.
        var unwritten = UnwrittenMessages()
        // `for await` in generic code would leave the caller's actor for each message.
        var iterator = messages.values.makeAsyncIterator()
        while let message = try await iterator.next(isolation: #isolation) {
            unwritten.append(frames.add(message), size: message.size)
            while unwritten.isFull, let write = unwritten.popFirst() { try await wait(for: write) }
        }
        while let write = unwritten.popFirst() { try await wait(for: write) }
    }

    private func wait(for write: PendingWrite) async throws(HTTPError) {
        do throws(HTTPError.Reason) {
            try await frames.wait(for: write)
        } catch {
            throw HTTPError(error, request: summary)
        }
    }

    /// Closes the connection, and waits until it has ended.
    ///
    /// The close frame follows the messages that wait. If the peer does not answer within ``WebSocketOptions/closeTimeout``, the
    /// client ends the connection; a cancellation of the task does not shorten the wait. Messages that come after this
    /// call are delivered up to the first that has not been requested. That one and all after it, up to the peer's close
    /// frame, are dropped. A second call sends nothing, and waits as well.
    ///
    /// - Parameters:
    ///   - code: The code; one that ``WebSocketCloseCode/isSendable``.
    ///   - reason: The reason, at most 123 bytes in UTF-8.
    /// - Throws: ``HTTPError/WebSocketFailure/notSendable`` for a code or a reason that cannot be sent. The connection
    ///   stays open.
    public func close(code: WebSocketCloseCode = .normal, reason: String = "") async throws(HTTPError) {
        guard code.isSendable, reason.utf8.count <= FrameHeader.maxControlLength - 2 else {
            throw HTTPError(.webSocket(.notSendable), request: summary)
        }
        frames.close(code, reason)
        await frames.waitUntilEnd()
    }
}

extension WebSocket.Message {
    /// The number of bytes.
    fileprivate var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
    }
}

/// The messages of a publisher that have been added to the frames and are not known to be written.
private struct UnwrittenMessages {
    private static let maxCount = 15
    private static let maxSize = 256 << 10

    private var writes: [(write: PendingWrite, size: Int)] = []
    private var size = 0

    /// Whether the publisher has to wait.
    var isFull: Bool { writes.count > Self.maxCount || size > Self.maxSize }

    mutating func append(_ write: PendingWrite, size: Int) {
        writes.append((write, size))
        self.size += size
    }

    mutating func popFirst() -> PendingWrite? {
        guard !writes.isEmpty else { return nil }
        let first = writes.removeFirst()
        size -= first.size
        return first.write
    }
}
