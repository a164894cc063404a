import StreamsHTTP

/// Opens a WebSocket from the command line, until the peer, the end of standard input or a signal closes it.
struct WebSocketCommand {
    private let arguments: RequestArguments
    private let console: Console
    /// The terminal in which a user types lines and sees the messages; `nil` if there is none.
    private let dialogue: Console?
    private let interruption = Interruption()

    init(_ arguments: RequestArguments, console: Console) {
        self.arguments = arguments
        dialogue = arguments.printsEvents ? nil : arguments.webSocket.makeDialogue()
        // Whatever is written to the terminal of the dialogue has to move its prompt.
        let sharesTerminal = Descriptor.standardError.isSameTerminal(as: .standardOutput)
        self.console = sharesTerminal ? dialogue ?? console : console
    }

    @MainActor
    func run() async -> ExitStatus {
        let printer = WebSocketPrinter(
            output: LineOutput(.standardOutput), printsEvents: arguments.printsEvents, dialogue: dialogue)
        do throws(Failure) {
            guard let closing = try await subscribe(printer), !closing.isExpected else { return .success }
            complain("\(HTTPError.WebSocketFailure.closed(closing.code, closing.reason))")
            return .closedUnexpectedly
        } catch {
            guard !error.isClosedPipe else { return .success }
            // If the reader has closed its end, the event cannot be delivered.
            try? printer.failed(error)
            try? printer.output.flush()
            complain(error.message)
            return error.status
        }
    }

    private func complain(_ message: String) {
        if arguments.tellsErrors { console.say("streams: \(message)") }
    }

    /// Prints the events of the connection.
    ///
    /// - Returns: The end of the connection.
    @MainActor
    private func subscribe(_ printer: WebSocketPrinter) async throws(Failure) -> WebSocket.Closing? {
        defer { dialogue?.setPrompt("") }
        // A connection that its client ends is closed with a close frame.
        let client = try arguments.openClient(on: console, until: interruption)
        printer.output.onFailure { client.cancelAll() }
        let events = client.webSocket(for: try arguments.makeRequest(), options: arguments.socketOptions)
        var socket: WebSocket?
        var sending: Task<Failure?, Never>?
        var end: WebSocket.Closing?
        let lastReceipt = LastReceipt()
        do {
            for try await event in events.values {
                try arguments.headOutput?.flush(after: printer.output)
                try printer.print(event)
                switch event {
                case .open(let opened):
                    socket = opened
                    // The event of the end, which a client that shuts down does not wait for, is printed, too.
                    interruption.onSignal { Task { try? await opened.close(code: .goingAway) } }
                    guard !arguments.webSocket.echoes else { break }
                    dialogue?.setPrompt("> ")
                    sending = Task { @concurrent [input = arguments.webSocket, dialogue] in
                        await input.sendInput(on: opened, lastReceipt: lastReceipt, dialogue: dialogue)
                    }
                case .message(let message):
                    lastReceipt.update()
                    // A failure ends the events, too.
                    if arguments.webSocket.echoes { try? await socket?.send(message) }
                case .closed(let closing):
                    end = closing
                }
            }
            try printer.output.flush()
        } catch let error as SystemError {
            throw Failure(writing: error)
        } catch let error as HTTPError {
            if let failure = printer.output.failure { throw Failure(writing: failure) }
            // The failure of the request comes first.
            try? printer.output.flush()
            try? arguments.headOutput?.finish()
            if let signal = interruption.signal { throw Failure(interruptedBy: signal) }
            throw Failure(error, withContent: !arguments.omitsErrorBodies)
        } catch {
            throw Failure(interruptedBy: interruption.signal ?? SIGINT)
        }
        if let signal = interruption.signal { throw Failure(interruptedBy: signal) }
        sending?.cancel()
        if let failure = await sending?.value { throw failure }
        if let count = end?.droppedMessageCount, count > 0 {
            complain("messages that came after the close, and are not written: \(count)")
        }
        return end
    }
}

extension WebSocket.Closing {
    /// Whether the peer had no more to say.
    fileprivate var isExpected: Bool { [.normal, .goingAway, .noCode].contains(code) }
}
