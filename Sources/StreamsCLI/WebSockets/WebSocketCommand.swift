import StreamsHTTP

/// Opens a WebSocket from the command line, until the peer, the end of standard input or a signal closes it.
struct WebSocketCommand {
    private let arguments: RequestArguments
    private let console: Console
    private let interruption = Interruption()

    init(_ arguments: RequestArguments, console: Console) {
        self.arguments = arguments
        self.console = console
    }

    func run() async -> ExitStatus {
        let printer = WebSocketPrinter(descriptor: .standardOutput, printsEvents: arguments.printsEvents)
        do throws(Failure) {
            return try await subscribe(printer)
        } catch {
            guard !error.isClosedPipe else { return .success }
            // If the reader has closed its end, the event cannot be delivered.
            try? printer.failed(error)
            if !arguments.isSilent || arguments.showsErrors { console.say("streams: \(error.message)") }
            return error.status
        }
    }

    private func subscribe(_ printer: WebSocketPrinter) async throws(Failure) -> ExitStatus {
        let log = arguments.isVerbose ? RequestLog(on: console, redaction: arguments.redaction) : nil
        let client = arguments.makeClient(log: log)
        // A connection that its client ends is closed in order.
        interruption.onSignal { Task { await client.shutdown() } }
        let events = client.webSocket(for: try arguments.makeRequest(), options: arguments.webSocket.options)
        var status = ExitStatus.success
        do {
            var socket: WebSocket?
            for try await event in events.values {
                try printer.print(event)
                switch event {
                case .open(let opened):
                    socket = opened
                    if !arguments.webSocket.echoes { sendInput(on: opened) }
                case .message(let message):
                    if arguments.webSocket.echoes { try? await socket?.send(message) }
                case .closed(let closing):
                    if !closing.isExpected { status = .closedByPeer }
                }
            }
            if let signal = interruption.signal { throw Failure(interruptedBy: signal) }
            return status
        } catch let failure as Failure {
            throw failure
        } catch let error as SystemError {
            throw Failure(writing: error)
        } catch let error as HTTPError {
            if let signal = interruption.signal { throw Failure(interruptedBy: signal) }
            throw Failure(error)
        } catch {
            throw Failure(interruptedBy: interruption.signal ?? SIGINT)
        }
    }

    /// Sends the lines of standard input, and closes the connection after them.
    private func sendInput(on socket: WebSocket) {
        let isBinary = arguments.webSocket.sendsBinary
        let linger = arguments.webSocket.linger ?? .zero
        Task {
            do {
                for try await line in InputChunks.standardInput.publisher.tryMap({ try $0.get() }).lines().values {
                    try await socket.send(isBinary ? .binary(Data(line.utf8)) : .text(line))
                }
                try await Task.sleep(for: linger)
                try await socket.close()
            } catch {
                // The events tell why nothing can be sent.
            }
        }
    }
}

extension WebSocket.Closing {
    /// Whether the peer had no more to say.
    fileprivate var isExpected: Bool { [.normal, .goingAway, .noCode].contains(code) }
}
