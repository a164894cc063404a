extension WebSocket {
    /// Sends a message.
    ///
    /// It returns when the message has been written to the connection, and waits while the connection has no room.
    /// Messages are sent in the order of the calls. One that is larger than a buffer is sent in fragments.
    ///
    /// A task that is cancelled before its message has begun sends nothing. One that has begun is sent to its end.
    ///
    /// - Throws: An error whose reason is ``HTTPError/Reason/cancelled``; or the reason for which nothing can be sent any
    ///   more, such as ``HTTPError/WebSocketFailure/closed``.
    public func send(_ message: Message) async throws(HTTPError) {
        do throws(HTTPError.Reason) {
            try await frames.send(message)
        } catch {
            throw HTTPError(error, request: summary)
        }
    }

    /// Sends the messages of a publisher, until it finishes.
    ///
    /// It requests a message when the one before has been written to the connection.
    ///
    /// - Throws: The failure of the publisher, or that of ``send(_:)``.
    public func send<Messages: Publisher>(contentsOf messages: Messages) async throws
    where Messages.Output == Message {
        for try await message in messages.values { try await send(message) }
    }

    /// Closes the connection, and waits until it has ended.
    ///
    /// The close frame follows the messages whose sending has been called before. Messages that come after this call are
    /// delivered as far as they are requested, and dropped otherwise, up to the peer's close frame.
    ///
    /// - Parameters:
    ///   - code: The code; one that ``CloseCode/isSendable``.
    ///   - reason: The reason, at most 123 bytes in UTF-8.
    /// - Throws: ``HTTPError/WebSocketFailure/notSendable`` for a code or a reason that cannot be sent.
    public func close(code: CloseCode = .normal, reason: String = "") async throws(HTTPError) {
        guard code.isSendable, reason.utf8.count <= FrameHeader.maxControlLength - 2 else {
            throw HTTPError(.webSocket(.notSendable), request: summary)
        }
        frames.close(code, reason)
        await frames.waitUntilEnd()
    }
}
