import Dispatch
import StreamsHTTP

extension WebSocketArguments {
    /// Sends the lines of standard input, and closes the connection when no message has come for a while after them.
    ///
    /// - Parameters:
    ///   - lastReceipt: The time at which a message was received last.
    ///   - dialogue: The terminal of a dialogue, whose prompt the lines follow; `nil` if there is none.
    /// - Returns: The failure to read standard input; `nil` if there is none.
    func sendInput(on socket: WebSocket, lastReceipt: LastReceipt, dialogue: Console?) async -> Failure? {
        // Reading blocks, and so it has a thread of its own.
        let messages = InputLines().publisher.subscribe(on: DispatchQueue(label: "standard input"))
            .tryMap { line in
                // The terminal has shown the line break of the line, too: the next one needs a prompt of its own.
                dialogue?.erase()
                return try message(line.get())
            }
        do {
            for try await message in messages.values { try await socket.send(message) }
            dialogue?.setPrompt("")
            try await waitForSilence(lastReceipt)
            try await socket.close()
        } catch let error as SystemError {
            try? await socket.close(code: .goingAway)
            return Failure(reading: error)
        } catch {
            // The events of the connection tell why nothing can be sent.
        }
        return nil
    }

    /// Waits until no message has been received for the time for answers.
    private func waitForSilence(_ lastReceipt: LastReceipt) async throws {
        let silence = linger ?? defaultLinger
        var end = ContinuousClock.now + silence
        while end > .now {
            try await Task.sleep(until: end)
            end = max(end, lastReceipt.time + silence)
        }
    }

    /// Reads the lines of standard input to its end; none from a terminal.
    func readMessages() throws(Failure) -> [WebSocket.Message] {
        guard !isInputTerminal else { return [] }
        do throws(SystemError) {
            var messages: [WebSocket.Message] = []
            for line in InputLines() { messages.append(try message(line.get())) }
            return messages
        } catch {
            throw Failure(reading: error)
        }
    }

    private func message(_ line: Data) throws(SystemError) -> WebSocket.Message {
        if sendsBinary { return .binary(line) }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw SystemError(action: "cannot send a line that is not UTF-8 without --binary", code: EILSEQ)
        }
        return .text(text)
    }

    /// The time for answers. A user at a terminal has seen them.
    private var defaultLinger: Duration { isInputTerminal ? .zero : .seconds(1) }

    private var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Creates the terminal of a dialogue, in which a user types lines and sees the messages; `nil` if standard input or
    /// output is none, or the lines are not read. A terminal that cannot erase a line has no dialogue.
    func makeDialogue() -> Console? {
        let screen = Console(STDOUT_FILENO)
        return isInputTerminal && screen.isTerminal && !echoes ? screen : nil
    }
}

extension RequestArguments {
    /// The options of the connection.
    var socketOptions: WebSocketOptions {
        var options = webSocket.options
        if let maxBytes { options.maxMessageSize = maxBytes }
        return options
    }
}
