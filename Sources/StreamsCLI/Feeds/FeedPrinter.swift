import StreamsHTTP

/// Prints a feed: its data alone, a line each, or every event as a line of JSON.
@MainActor
struct FeedPrinter {
    let output: LineOutput
    let printsEvents: Bool
    /// The messages about what happens between the elements.
    let notices: FeedNotices

    func message(_ event: ServerSentEvent<String>) throws(SystemError) {
        guard printsEvents else { return try output.add(Data(event.data.utf8)) }
        try print("message") { line in
            line.add("type", event.type)
            line.add("data", event.data)
            line.add("id", event.id)
        }
    }

    func message(_ message: WebSocket.Message) throws(SystemError) {
        try WebSocketPrinter(output: output, printsEvents: printsEvents).print(message)
    }

    func line(_ data: Data) throws(SystemError) {
        guard printsEvents else { return try output.add(data) }
        try print("line") { $0.add(content: data) }
    }

    func response(_ response: HTTPResponse<Data>) throws(SystemError) {
        guard printsEvents else { return try output.add(response.body) }
        try print("response") { line in
            line.add("status", Int64(response.status.code))
            line.add(content: response.body)
        }
    }

    /// Prints an event between the elements.
    func print<Element>(_ event: Feed<Element>.Event) throws(SystemError) {
        switch event {
        case .connecting, .element: break
        case .open(let head):
            try print("open") { line in
                line.add("status", Int64(head.status.code))
                if head.status == .switchingProtocols {
                    line.add("protocol", head.headers["Sec-WebSocket-Protocol"] ?? "")
                }
            }
        case .comment(let text): try print("comment") { $0.add("text", text) }
        case .gap(let gap):
            try print("gap") { $0.add("reason", "\(gap)") }
        case .waiting(let wait):
            let reason = wait.error.map { "\($0)" } ?? "the response has ended"
            try print("reconnecting") { line in
                line.add("after", wait.delay)
                line.add("reason", reason)
                line.add("lastEventID", wait.position ?? "")
            }
        }
    }

    func finished() throws(SystemError) {
        try print("finished") { _ in }
    }

    func failed(_ failure: Failure) throws(SystemError) {
        try print("failed") { $0.add(failure) }
    }

    private func print(_ event: String, _ addMembers: (inout JSONLine) -> Void) throws(SystemError) {
        guard printsEvents else { return }
        var line = JSONLine(event: event)
        addMembers(&line)
        try output.add(Data(line.object.utf8))
    }
}
