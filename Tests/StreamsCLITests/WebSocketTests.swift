import Foundation
import StreamsLoopback
import Testing

/// `streams ws`.
@Suite(.enabled(if: SocketServer.isExpected, "websockets is not installed"), .serialized)
struct WebSocketTests {
    let server: SocketServer

    init() async throws {
        server = try await SocketServer.start()
    }

    /// Returns a pipe that has all of an input.
    private func input(_ text: String) throws -> FileHandle {
        let pipe = Pipe.uninherited()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        return pipe.fileHandleForReading
    }

    /// The names of the printed events.
    private func names(_ run: Tool.Run) throws -> [String] {
        try run.lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["event"] as? String)
        }
    }

    // MARK: Messages

    @Test func sendsLinesAndWritesMessages() async throws {
        let run = try await Tool.run(
            "ws", "--linger", "60", server.url("/echo"), input: input("größer\n\nwithout a line break\nbye"))
        #expect(run.status == 0)
        #expect(run.text == "größer\n\nwithout a line break\n")
        #expect(run.errors.isEmpty)
    }

    /// Lines around the size of the chunks in which the input is read, and of several of them.
    @Test func sendsLinesOfAllSizes() async throws {
        let lines = [1, 65_535, 65_536, 65_537, 200_000, 2].map { size in
            String(decoding: (0..<size).map { UInt8(ascii: "a") + UInt8($0 % 23) }, as: UTF8.self)
        }
        let folder = try Folder()
        let path = try folder.write(lines.joined(separator: "\n") + "\nbye", to: "lines")
        let input = try #require(FileHandle(forReadingAtPath: path))
        let run = try await Tool.run("ws", "--linger", "60", server.url("/echo"), input: input)
        #expect(run.status == 0)
        #expect(run.lines == lines)
    }

    @Test func printsEvents() async throws {
        let run = try await Tool.run(
            "ws", "--events", "--echo", "--protocol", "other", "--protocol", "chat", server.url("/say"))
        #expect(run.status == 0)
        #expect(
            run.lines == [
                #"{"event":"open","status":101,"protocol":"chat"}"#,
                #"{"event":"message","type":"text","data":"one"}"#,
                #"{"event":"message","type":"text","data":"two\nlines"}"#,
                #"{"event":"message","type":"binary","data":"AP8="}"#,
                #"{"event":"closed","code":1000,"reason":"","clean":true}"#,
            ])
    }

    @Test func sendsLinesAsBytes() async throws {
        let pipe = Pipe.uninherited()
        try pipe.fileHandleForWriting.write(contentsOf: Data([0xFF, 0x00, 0x0D, 0x0A]))
        try pipe.fileHandleForWriting.close()
        let run = try await Tool.run("ws", "--binary", server.url("/late"), input: pipe.fileHandleForReading)
        #expect(run.status == 0)
        #expect(run.output == Data([0xFF, 0x00, 0x0D, 0x0A]))
    }

    @Test func refusesLinesThatAreNotUTF8() async throws {
        let pipe = Pipe.uninherited()
        try pipe.fileHandleForWriting.write(contentsOf: Data([0x61, 0x0A, 0xFF, 0x0A]))
        try pipe.fileHandleForWriting.close()
        let run = try await Tool.run("ws", server.url("/late"), input: pipe.fileHandleForReading)
        #expect(run.status == 26 && run.errors.hasPrefix("streams: cannot send a line that is not UTF-8"))
    }

    @Test func echoesMessages() async throws {
        let run = try await Tool.run("ws", "--echo", "--events", server.url("/ask"))
        #expect(run.status == 0)
        #expect(run.lines.last == #"{"event":"closed","code":1000,"reason":"question","clean":true}"#)
    }

    @Test func exitsWith63AfterOversizedMessage() async throws {
        let run = try await Tool.run("ws", "--echo", "--max-bytes", "3", server.url("/hold"))
        #expect(run.status == 63)
        #expect(run.errors.hasSuffix("the peer sent a message of more than 3 bytes\n"))
        #expect(try await server.endOfConnection() == "1009")
    }

    // MARK: Ends

    @Test func closesAtEndOfInput() async throws {
        let run = try await Tool.run("ws", "--linger", "0", "--events", server.url("/hold"))
        #expect(run.status == 0)
        #expect(run.lines.last == #"{"event":"closed","code":1000,"reason":"","clean":true}"#)
        #expect(try await server.endOfConnection() == "1000")
    }

    /// The whole series of answers takes longer than the silence that is waited for.
    @Test func waitsWhileAnswersCome() async throws {
        let numbers = (1...20_000).map(String.init).joined(separator: "\n") + "\n"
        let folder = try Folder()
        try folder.write(numbers, to: "numbers")
        let input = try #require(FileHandle(forReadingAtPath: folder.path("numbers")))
        let run = try await Tool.run("ws", "--linger", "0.5", server.url("/echo"), input: input)
        #expect(run.status == 0 && run.text == numbers && run.errors.isEmpty, "\(run.errors)")
    }

    @Test func waitsForSlowAnswers() async throws {
        let pause = WebSocketStep.pause(.milliseconds(300))
        let slow = try LoopbackServer()
        slow.on("GET", "/", .webSocket(.receive, pause, .send("a"), pause, .send("b"), pause, .send("c")))
        let run = try await Tool.run("ws", "--linger", "0.5", slow.url("/"), input: input("go"))
        #expect(run.status == 0 && run.text == "a\nb\nc\n")
    }

    @Test func endsWithConnectionDespiteOpenInput() async throws {
        let input = Pipe.uninherited()
        let run = try await Tool.run("ws", server.url("/say"), input: input.fileHandleForReading)
        #expect(run.status == 0)
        #expect(run.output == Data("one\ntwo\nlines\n".utf8) + [0x00, 0xFF, 0x0A])
        try input.fileHandleForWriting.close()
    }

    /// The answer comes after the end of the input.
    @Test func waitsForAnswersToPipe() async throws {
        let run = try await Tool.run("ws", server.url("/late"), input: input("late\n"))
        #expect(run.status == 0)
        #expect(run.text == "late\n")
        #expect(try await server.endOfConnection() == "1000")
    }

    @Test(arguments: [(1000, Int32(0)), (1001, 0), (1008, 71), (1011, 71), (4000, 71)])
    func exitsByCloseCode(code: Int, status: Int32) async throws {
        let run = try await Tool.run("ws", "--echo", "--events", server.url("/close/\(code)"))
        #expect(run.status == status)
        #expect(run.lines.last == #"{"event":"closed","code":\#(code),"reason":"as asked","clean":true}"#)
        #expect(run.errors == (status == 0 ? "" : "streams: the WebSocket is closed, with code \(code): as asked\n"))
    }

    @Test(arguments: [([], "the server answered 403: not for you"), (["-f"], "the server answered 403")])
    func exitsWith22AfterRefusal(options: [String], message: String) async throws {
        let run = try await Tool(["ws", "--events", server.url("/refused")] + options).start().end()
        #expect(run.status == 22)
        #expect(run.lines.count == 1)
        #expect(run.text.hasPrefix(#"{"event":"failed","kind":"status","exit":22,"#))
        #expect(run.text.hasSuffix(message + "\"}\n"))
        #expect(run.errors.hasSuffix(message + "\n"))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func closesOnSignal(signal: Int32) async throws {
        let input = Pipe.uninherited()
        let running = try Tool(["ws", "--events", server.url("/hold")], input: input.fileHandleForReading).start()
        let beginning = running.output.read { $0.contains("here") }
        #expect(beginning.hasPrefix(#"{"event":"open""#))
        running.send(signal)
        let run = try await running.end()
        #expect(run.status == 128 + signal)
        #expect(run.errors == "streams: interrupted\n")
        #expect(
            run.lines == [
                #"{"event":"closed","code":1001,"reason":"","clean":true}"#,
                #"{"event":"failed","kind":"cancelled","exit":\#(128 + signal),"message":"interrupted"}"#,
            ])
        #expect(try await server.endOfConnection() == "1001")
        try input.fileHandleForWriting.close()
    }

    @Test func endsQuietlyAfterClosedPipe() async throws {
        let pipe = Pipe.uninherited()
        let tool = try Tool(["ws", server.url("/hold")], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForReading.close()
        let running = try tool.start()
        try pipe.fileHandleForWriting.close()
        let run = try await running.end()
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
    }

    @Test func exitsWith26AfterUnreadableInput() async throws {
        let folder = try Folder()
        let run = try await Tool.run(
            "ws", server.url("/hold"), input: FileHandle(forReadingFrom: URL(filePath: folder.path)))
        #expect(run.status == 26)
        #expect(run.errors == "streams: cannot read standard input: Is a directory\n")
        #expect(try await server.endOfConnection() == "1001")
    }

    // MARK: Reconnections

    @Test func sendsInputOnEachConnection() async throws {
        let run = try await Tool.run(
            "ws", "--reconnect", "--reconnect-delay", "0.01", server.url("/break"), input: input("subscribe\n"))
        #expect(run.status == 71)
        #expect(run.lines == ["subscribe", "subscribe"])
        let told = run.errors.split(separator: "\n")
        #expect(told.count == 3, "\(run.errors)")
        #expect(told.first?.hasSuffix("; connecting again until it succeeds (-v tells of each attempt)") == true)
        #expect(told.last?.hasSuffix("the WebSocket is closed, with code 4001: enough") == true)
    }

    @Test func printsReconnections() async throws {
        let run = try await Tool.run(
            "ws", "--reconnect", "--reconnect-delay", "0.01", "--events", server.url("/break"), input: input("a\n"))
        #expect(try names(run) == ["open", "message", "reconnecting", "open", "gap", "message", "failed"])
        #expect(run.lines.first == #"{"event":"open","status":101,"protocol":""}"#)
    }

    @Test func connectsBeforeReadingTerminal() async throws {
        let terminal = try Terminal()
        let running = try Tool(["ws", "--reconnect", server.url("/hold")], input: terminal.end).start()
        #expect(running.output.read { $0.hasSuffix("\n") } == "here\n")
        running.send(SIGINT)
        let run = try await running.end()
        #expect(run.status == 130)
        #expect(try await server.endOfConnection() == "1001")
    }
}

/// The command line of `streams ws`.
@Suite(.serialized) struct WebSocketUsageTests {
    @Test(arguments: [
        ["-X", "GET"], ["-d", "a"], ["--json", "{}"], ["-F", "a=b"], ["-T", "-"], ["-G"], ["-o", "x"], ["-O"], ["-i"],
        ["-I"], ["-r", "0-1"], ["-C", "-"], ["-w", "x"], ["-m", "1"], ["--timeout", "1"], ["--retry", "1"], ["-#"],
        ["--compressed"], ["--http2"], ["--no-reconnect"], ["--last-event-id", "1"], ["--every", "1"],
        ["--protocol", "a b"], ["--protocol", ""], ["--echo", "--binary"], ["--echo", "--linger", "1"],
        ["--reconnect", "--echo"], ["--reconnect", "--linger", "1"], ["--reconnect-delay", "1"], ["--ping", "soon"],
        ["GET"], ["ws://127.0.0.1:1/"],
    ]) func refusesOptionsWithoutEffect(arguments: [String]) async throws {
        let run = try await Tool(["ws"] + arguments + ["ws://127.0.0.1:1/"]).start().end()
        #expect(run.status == 2)
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test func pointsOutWebSocketURLs() async throws {
        let run = try await Tool.run("wss://127.0.0.1:1/")
        #expect(run.status == 1)
        #expect(run.errors.hasSuffix("a URL begins with http:// or https://; streams ws opens WebSockets\n"))
        let sse = try await Tool.run("http://127.0.0.1:1/", "--echo")
        #expect(sse.errors == "streams: --echo needs streams ws. See streams --help.\n")
    }
}
