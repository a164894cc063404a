import Foundation
import StreamsLoopback
import Testing

/// `streams ws` at a terminal.
@Suite(.serialized) struct WebSocketTerminalTests {
    let server: LoopbackServer
    let terminal: Terminal

    init() throws {
        server = try LoopbackServer()
        terminal = try Terminal()
    }

    /// Starts the tool with the terminal as its standard descriptors.
    private func start(_ options: String..., steps: [WebSocketStep]) throws -> Running {
        server.on("GET", "/", .webSocket(steps))
        return try Tool(
            ["ws", server.url("/")] + options, input: terminal.end, output: terminal.end, errors: terminal.end,
            environment: ["TERM": "xterm"]
        ).start()
    }

    @Test func marksTypedAndReceivedLines() async throws {
        let running = try start(steps: [.receive, .send("one\n\ttwo"), .receive, .close()])
        #expect(await terminal.screen(until: ["> "]) == ["> "])
        try terminal.type("hi\n")
        let answered = ["> hi", "< one", "< \ttwo", "> "]
        #expect(await terminal.screen(until: answered) == answered)
        try terminal.type("bye\n")
        #expect(try await running.end().status == 0)
        let end = ["> hi", "< one", "< \ttwo", "> bye", ""]
        #expect(await terminal.screen(until: end) == end)
    }

    /// The rest of the line is typed after a message, and the whole line is sent.
    @Test func keepsMarksBesideUnfinishedLine() async throws {
        let gate = Gate()
        let running = try start(steps: [.receive, .hold(gate), .send("news"), .answer { [.send($0)] }, .close()])
        #expect(await terminal.screen(until: ["> "]) == ["> "])
        try terminal.type("go\n")
        #expect(await terminal.screen(until: ["> go", "> "]) == ["> go", "> "])
        try terminal.type("half")
        #expect(await terminal.screen(until: ["> go", "> half"]) == ["> go", "> half"])
        gate.open()
        #expect(await terminal.screen(until: ["> go", "< news", "> "]) == ["> go", "< news", "> "])
        try terminal.type(" a line\n")
        #expect(try await running.end().status == 0)
        let end = ["> go", "< news", ">  a line", "< half a line", ""]
        #expect(await terminal.screen(until: end) == end)
    }

    /// A message cannot pretend to be typed.
    @Test func escapesControlCharacters() async throws {
        _ = try start(steps: [.send("a\r\u{1B}[K> b"), .receive])
        let lines = [#"< a\r\u{1B}[K> b"#, "> "]
        #expect(await terminal.screen(until: lines) == lines)
        try terminal.type("\u{4}")
    }

    @Test func marksBinaryMessages() async throws {
        let running = try start("--binary", steps: [.answer { [.send($0)] }, .close()])
        #expect(await terminal.screen(until: ["> "]) == ["> "])
        try terminal.type("hi\n")
        #expect(try await running.end().status == 0)
        #expect(await terminal.screen(until: ["> hi", "< hi", ""]) == ["> hi", "< hi", ""])
        #expect(server.requests.first?.messages == [.binary(Array("hi".utf8))])
    }

    @Test func removesPromptAtEndOfInput() async throws {
        let running = try start(steps: [.receive])
        #expect(await terminal.screen(until: ["> "]) == ["> "])
        try terminal.type("\u{4}")
        #expect(try await running.end().status == 0)
        #expect(await terminal.screen(until: [""]) == [""])
    }

    @Test func removesPromptOnSignal() async throws {
        let running = try start(steps: [.receive])
        #expect(await terminal.screen(until: ["> "]) == ["> "])
        running.send(SIGINT)
        #expect(try await running.end().status == 130)
        #expect(await terminal.screen(until: ["streams: interrupted", ""]) == ["streams: interrupted", ""])
    }

    @Test func reportsClosingOnItsOwnLine() async throws {
        let running = try start(steps: [.receive, .close(4000, reason: "enough")])
        #expect(await terminal.screen(until: ["> "]) == ["> "])
        try terminal.type("hi\n")
        #expect(try await running.end().status == 71)
        let end = ["> hi", "streams: the WebSocket is closed, with code 4000: enough", ""]
        #expect(await terminal.screen(until: end) == end)
    }

    /// Without a terminal at both ends, and with events, the output is the same as elsewhere.
    @Test(arguments: [
        (true, false, [String]()), (false, true, []), (true, true, ["--events"]), (true, true, ["--echo"]),
    ])
    func writesMessagesWithoutMarks(hasInput: Bool, hasOutput: Bool, options: [String]) async throws {
        server.on("GET", "/", .webSocket(.send("news"), .close()))
        let tool = try Tool(
            ["ws", server.url("/")] + options, input: hasInput ? terminal.end : .nullDevice,
            output: hasOutput ? terminal.end : nil, environment: ["TERM": "xterm"])
        let run = try await tool.start().end()
        let text = hasOutput ? terminal.read { $0.contains("closed") || $0.hasSuffix("news\r\n") } : run.text
        #expect(run.status == 0 && text.contains("news") && !text.contains("< ") && !text.contains("> "))
    }
}
