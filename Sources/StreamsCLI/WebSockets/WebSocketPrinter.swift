import StreamsHTTP

/// Prints a WebSocket: its messages alone, a line each, or every event as a line of JSON.
@MainActor
struct WebSocketPrinter {
    let output: LineOutput
    let printsEvents: Bool
    /// The terminal of a dialogue, which marks the messages; `nil` if there is none.
    var dialogue: Console?

    func print(_ event: WebSocket.Event) throws(SystemError) {
        switch event {
        case .open(let socket):
            try print("open") { line in
                line.add("status", Int64(socket.head.status.code))
                line.add("protocol", socket.subprotocol ?? "")
            }
        case .message(let message): try print(message)
        case .closed(let closing):
            try print("closed") { line in
                line.add("code", Int64(closing.code.rawValue))
                line.add("reason", closing.reason)
                line.add("clean", closing.isClean)
            }
        }
    }

    func failed(_ failure: Failure) throws(SystemError) {
        try print("failed") { $0.add(failure) }
    }

    func print(_ message: WebSocket.Message) throws(SystemError) {
        guard printsEvents else {
            let data =
                switch message {
                case .text(let text): Data(text.utf8)
                case .binary(let data): data
                }
            if let dialogue { return try dialogue.print(String(decoding: data, as: UTF8.self), mark: "< ") }
            return try output.add(data)
        }
        try print("message") { line in
            switch message {
            case .text(let text):
                line.add("type", "text")
                line.add("data", text)
            case .binary(let data): line.add(binary: data)
            }
        }
    }

    private func print(_ event: String, _ addMembers: (inout JSONLine) -> Void) throws(SystemError) {
        guard printsEvents else { return }
        var line = JSONLine(event: event)
        addMembers(&line)
        try output.add(Data(line.object.utf8))
    }
}
