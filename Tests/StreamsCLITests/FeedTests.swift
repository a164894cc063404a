import Foundation
import StreamsLoopback
import Testing

/// `streams sse`, `streams lines` and `streams poll`.
@Suite(.serialized) struct FeedTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    /// The names of the printed events.
    private func names(_ run: Tool.Run) throws -> [String] {
        try run.lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["event"] as? String)
        }
    }

    @Test func eventsAreResumedAfterABreak() async throws {
        let feed = FeedScript(.serverSentEvents, count: 5, .elements(2, partial: 6, then: .close), .elements())
        server.on("GET", "/x", feed: feed)
        let run = try await Tool.run("sse", "--events", "--reconnect-delay", "0.01", server.url("/x"))
        #expect(run.status == 0)
        #expect(
            try names(run) == [
                "open", "message", "message", "reconnecting", "open", "message", "message", "message", "reconnecting",
                "finished",
            ])
        #expect(run.lines[0] == #"{"event":"open","status":200}"#)
        #expect(run.lines[1] == #"{"event":"message","type":"message","data":"{\"n\":1}","id":"1"}"#)
        #expect(run.lines[3].hasSuffix(#","lastEventID":"2"}"#))
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "2", "5"])
    }

    @Test(arguments: [["POST"], ["-X", "POST"]]) func resumesANamedMethod(method: [String]) async throws {
        let feed = FeedScript(.serverSentEvents, count: 3, .elements(2, then: .close), .elements())
        server.on("POST", "/x", feed: feed)
        let run = try await Tool(["sse", "--reconnect-delay", "0.01"] + method + [server.url("/x"), "-d", "{}"]).start()
            .end()
        #expect(run.status == 0)
        #expect(run.lines == [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#])
    }

    /// A repetition would execute a call again, or ask for an answer that has been given.
    @Test(arguments: [["sse", "--json", "{}"], ["sse", "-d", "a"], ["lines", "-d", "a"], ["lines", "-F", "a=b"]])
    func endsWithTheFirstResponseToABody(command: [String]) async throws {
        server.on("POST", "/x", Reply(headers: ["Content-Type": "text/event-stream"], body: .text("data: a\n\n")))
        let run = try await Tool(command + ["--reconnect-delay", "0.01", server.url("/x")]).start().end()
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines == (command[0] == "sse" ? ["a"] : ["data: a"]))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [["sse", "--json", "{}"], ["lines", "-d", "a"]])
    func failsWhenTheResponseToABodyBreaks(command: [String]) async throws {
        let reply = Reply(headers: ["Content-Type": "text/event-stream"], body: .text("data: a\n\ndata: b\n\n"))
        server.on("POST", "/x", reply.failing(with: .close(at: .inBody(after: 9))))
        let run = try await Tool(command + ["--reconnect-delay", "0.01", server.url("/x")]).start().end()
        #expect(run.status == 18, "\(run.errors)")
        #expect(server.requests.count == 1)
    }

    @Test func dataAloneIsWrittenByLine() async throws {
        server.on("GET", "/x", feed: FeedScript(.serverSentEvents, count: 2))
        let run = try await Tool.run("sse", "--no-reconnect", server.url("/x"))
        #expect(run.status == 0)
        #expect(run.lines == [#"{"n":1}"#, #"{"n":2}"#])
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: ["sse", "lines"]) func linesOfABurstAreWrittenInOrder(command: String) async throws {
        let lines = (0..<20_000).map { "\($0) \(String(repeating: "x", count: $0 % 97))" }
        let body = lines.map { command == "sse" ? "data: \($0)\n\n" : "\($0)\n" }.joined()
        server.on("GET", "/x", Reply(headers: ["Content-Type": "text/event-stream"], body: .text(body)))
        let run = try await Tool.run(command, "--no-reconnect", server.url("/x"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines == lines)
    }

    @Test func aLineAloneIsWrittenAtOnce() async throws {
        let gate = Gate()
        defer { gate.open() }
        server.on("GET", "/x", Reply(body: .chunked("one\n", .hold(gate))))
        let running = try Tool(["lines", server.url("/x")]).start()
        #expect(try await Self.firstLine(of: running.output) == "one\n")
        running.send(SIGTERM)
        #expect(try await running.end().status == 143)
    }

    @Test func resumesAfterAGivenEvent() async throws {
        server.on("GET", "/x", feed: FeedScript(.serverSentEvents, count: 3))
        let run = try await Tool.run("sse", "--last-event-id", "2", "--no-reconnect", server.url("/x"))
        #expect(run.lines == [#"{"n":3}"#])
    }

    @Test func repeatedEventsAreDroppedOrPrinted() async throws {
        for (options, lines) in [([], ["a", "b"]), (["--repeated", "deliver"], ["a", "a", "b"])] {
            let replies = ["id: 1\ndata: a\n\n", "id: 1\ndata: a\n\nid: 2\ndata: b\n\n"].map {
                Reply(headers: ["Content-Type": "text/event-stream"], body: .text($0))
            }
            server.on("GET", "/x") { $0.turn <= 2 ? replies[$0.turn - 1] : .status(204) }
            let run = try await Tool(["sse", "--reconnect-delay", "0.01", server.url("/x")] + options).start().end()
            #expect(run.status == 0)
            #expect(run.lines == lines)
        }
    }

    @Test func commentsArePrintedOnRequest() async throws {
        server.on("GET", "/x", Reply(headers: ["Content-Type": "text/event-stream"], body: .text(": a\n\ndata: b\n\n")))
        let run = try await Tool.run("sse", "--events", "--comments", "--no-reconnect", server.url("/x"))
        #expect(try names(run) == ["open", "comment", "message", "finished"])
        #expect(run.lines[1] == #"{"event":"comment","text":"a"}"#)
    }

    @Test func aRedirectWithoutATargetFails() async throws {
        server.on("GET", "/x", .status(302))
        let run = try await Tool.run("sse", "--events", server.url("/x"))
        #expect(run.status == 22)
        #expect(try names(run) == ["failed"])
        #expect(server.requests.count == 1)
    }

    @Test func linesAreWrittenAsTheyAre() async throws {
        server.on("GET", "/x", .text("one\ntwo\u{2028}three\r\nfour"))
        let run = try await Tool.run("lines", "--no-reconnect", server.url("/x"))
        #expect(run.status == 0)
        #expect(String(decoding: run.output, as: UTF8.self) == "one\ntwo\u{2028}three\nfour\n")
    }

    /// JSON has no octets.
    @Test(arguments: [["lines"], ["poll", "--every", "0.01"]])
    func eventsHaveContentThatIsNoTextInBase64(command: [String]) async throws {
        server.on("GET", "/x", .bytes([0x61, 0xFF, 0x00]), .status(404))
        server.on("GET", "/text", .text("\u{FFFD}ü"), .status(404))
        let options = ["--events", "--reconnect-delay", "0.01"]
        let octets = try await Tool(command + options + [server.url("/x")]).start().end()
        let text = try await Tool(command + options + [server.url("/text")]).start().end()
        let start = command == ["lines"] ? #"{"event":"line","# : #"{"event":"response","status":200,"#
        #expect(octets.lines.filter { $0.contains(#""data""#) } == [start + #""type":"binary","data":"Yf8A"}"#])
        #expect(text.lines.filter { $0.contains(#""data""#) } == [start + "\"data\":\"\u{FFFD}ü\"}"])
    }

    @Test func pollsWriteChangesAlone() async throws {
        let texts = ["a", "a", "b"]
        server.on("GET", "/x") { request in
            request.turn <= texts.count ? .text(texts[request.turn - 1]) : .status(404)
        }
        let run = try await Tool.run("poll", "--every", "0.01", server.url("/x"))
        #expect(run.status == 22)
        #expect(run.lines == ["a", "b"])
    }

    // MARK: Messages

    @Test(arguments: [["sse"], ["lines"], ["poll", "--every", "0.01"]])
    func theFirstFailureIsTold(command: [String]) async throws {
        let running = try Tool(command + ["--reconnect-delay", "0.01", "http://127.0.0.1:1/"]).start()
        let told = try await Self.firstLine(of: running.errors)
        #expect(told.contains("could not connect") && told.hasSuffix("(-v tells of each attempt)\n"), "\(told)")
        running.send(SIGTERM)
        let run = try await running.end()
        #expect(run.status == 143)
        #expect(run.output.isEmpty)
        #expect(run.errors == "streams: interrupted\n")
    }

    @Test func aLaterFailureIsToldAgainAfterAnElement() async throws {
        let broken = Reply(
            headers: ["Content-Type": "text/event-stream"], body: .text("data: a\n\n: more")
        ).failing(with: .close(at: .inBody(after: 9)))
        server.on("GET", "/x", .status(503), .status(503), broken, broken, .status(404))
        let run = try await Tool.run("sse", "--reconnect-delay", "0.01", server.url("/x"))
        #expect(run.lines == ["a", "a"])
        let told = run.errors.split(separator: "\n")
        #expect(told.filter { $0.hasSuffix("(-v tells of each attempt)") }.count == 3, "\(run.errors)")
        #expect(told.last?.contains("404") == true)
    }

    @Test func silenceIsKept() async throws {
        server.on("GET", "/x", .status(503), .status(404))
        let run = try await Tool.run("sse", "-s", "--reconnect-delay", "0.01", server.url("/x"))
        #expect(run.status == 22)
        #expect(run.errors.isEmpty)
    }

    @Test func delaysAreRounded() async throws {
        server.on("GET", "/x", .status(503), .status(503), .status(404))
        let run = try await Tool.run("sse", "-v", "--reconnect-delay", "0.0123456", server.url("/x"))
        let delays = run.errors.matches(of: #/connecting again in ([0-9.]+) s: /#).map { $0.1 }
        #expect(delays.count == 2)
        #expect(delays.allSatisfy { $0.split(separator: ".").last.map { $0.count <= 3 } == true }, "\(delays)")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalDecidesTheExitStatus(signal: Int32) async throws {
        let gate = Gate()
        server.on("GET", "/x", Reply(body: .chunked("a\n", .hold(gate))))
        let running = try Tool(["lines", "--events", server.url("/x")]).start()
        try await server.wait { $0.bytesWritten > 0 }
        running.send(signal)
        let run = try await running.end()
        #expect(run.status == 128 + signal)
        #expect(run.errors == "streams: interrupted\n")
        #expect(
            run.lines.last == #"{"event":"failed","kind":"cancelled","exit":\#(128 + signal),"message":"interrupted"}"#)
        gate.open()
    }

    /// A response that stays open sends no second line, whose write would fail.
    @Test(arguments: [false, true]) func aClosedPipeEndsQuietly(isHeldOpen: Bool) async throws {
        let gate = Gate()
        defer { gate.open() }
        server.on("GET", "/x", isHeldOpen ? Reply(body: .chunked("one\n", .hold(gate))) : .text("one\ntwo\n"))
        let pipe = Pipe.uninherited()
        let tool = try Tool(["lines", server.url("/x")], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForReading.close()
        let running = try tool.start()
        try pipe.fileHandleForWriting.close()
        let run = try await running.end()
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
    }

    // MARK: Cursors

    @Test func linesAreResumedByACursor() async throws {
        server.on("GET", "/x") { request in
            switch request.turn {
            case 1: .text(#"{"o":{"v":"1"}}"# + "\n" + #"{"o":{"v":"2"}}"# + "\nnone\n")
            case 2: .text(#"{"o":{"v":"2"}}"# + "\n" + #"{"o":{"v":3}}"# + "\n")
            default: .status(404)
            }
        }
        let run = try await Tool.run(
            "lines", "--cursor", "after=o.v", "--reconnect-delay", "0.01", server.url("/x?a=b"))
        #expect(run.lines == [#"{"o":{"v":"1"}}"#, #"{"o":{"v":"2"}}"#, "none", #"{"o":{"v":3}}"#])
        #expect(server.requests.map(\.query) == ["a=b", "a=b&after=2", "a=b&after=3"])
        #expect(!run.errors.contains("repeated"))
    }

    @Test func aCursorReplacesItsParameter() async throws {
        server.on("GET", "/x") { $0.turn == 1 ? .text("{\"v\":7}\n") : .status(404) }
        _ = try await Tool.run(
            "lines", "--cursor", "since=v", "--reconnect-delay", "0.01", server.url("/x?s%69nce=0&a=b&since=1#c"))
        #expect(server.requests.map(\.query) == ["s%69nce=0&a=b&since=1", "a=b&since=7"])
    }

    @Test(arguments: ["sse", "lines"]) func acceptsCompressionIfTheOptionSaysSo(command: String) async throws {
        let reply = Reply(headers: ["Content-Type": "text/event-stream"], body: .text("data: a\n\n"))
        server.on("GET", "/x", reply)
        for options in [[], ["--compressed"], ["-H", "Accept-Encoding:"], ["-H", "Accept-Encoding: x"]] {
            let run = try await Tool([command, "--no-reconnect"] + options + [server.url("/x")]).start().end()
            #expect(run.status == 0, "\(run.errors)")
        }
        let codings = server.requests.map { $0.headers.values(of: "Accept-Encoding").joined() }
        #expect([codings[0]] + codings.suffix(2) == ["identity", "", "x"])
        #expect(codings[1].contains("gzip"))
    }

    /// The IDs of some servers name the client.
    @Test func sendsNoIDIfTheHeaderIsRemoved() async throws {
        let replies = ["id: c\ndata: a\n\n", "id: c\ndata: a\n\n"].map {
            Reply(headers: ["Content-Type": "text/event-stream"], body: .text($0))
        }
        server.on("GET", "/x") { $0.turn < 3 ? replies[$0.turn - 1] : .status(204) }
        let run = try await Tool.run(
            "sse", "-H", "Last-Event-ID:", "--events", "--reconnect-delay", "0.01", server.url("/x"))
        #expect(run.status == 0)
        #expect(try names(run).filter { $0 == "message" || $0 == "gap" } == ["message", "gap", "message"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, nil, nil])
    }

    @Test func repeatedLinesAreToldOnce() async throws {
        server.on("GET", "/x") { $0.turn < 4 ? .text("a\n") : .status(404) }
        let run = try await Tool.run("lines", "--reconnect-delay", "0.01", server.url("/x"))
        #expect(run.lines == ["a", "a", "a"])
        let told = run.errors.split(separator: "\n").filter { $0.contains("repeated or missing") }
        #expect(told.count == 1 && told.first?.hasSuffix("; --cursor resumes") == true, "\(run.errors)")
    }

    /// Reads up to the end of the first line.
    private static func firstLine(of handle: FileHandle) async throws -> String {
        let line = await Running.onThread {
            var line = Data()
            while line.last != UInt8(ascii: "\n"), let byte = try? handle.read(upToCount: 1), !byte.isEmpty {
                line += byte
            }
            return line
        }
        return String(decoding: line, as: UTF8.self)
    }

    @Test(arguments: [
        ["poll", "--every", "0"], ["poll", "--every", "0.0"], ["lines", "--cursor", "a"], ["lines", "--cursor", "=a"],
        ["lines", "--cursor", "a=b..c"], ["sse", "--cursor", "a=b"], ["sse", "-o", "x"], ["lines", "-O"],
        ["sse", "-i"],
        ["lines", "-I"], ["sse", "-m", "1"], ["lines", "--timeout", "1"],
        ["poll", "--every", "1", "--read-timeout", "1"],
        ["sse", "--retry", "1"], ["lines", "-w", "x"], ["sse", "-#"],
    ]) func optionsThatWouldHaveNoEffectAreRefused(arguments: [String]) async throws {
        let run = try await Tool(arguments + [server.url("/x")]).start().end()
        #expect(run.status == 2)
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        ["--comments"], ["sse", "--every", "1"], ["poll"], ["lines", "--last-event-id", "1"],
        ["lines", "--repeated", "deliver"], ["sse", "--repeated", "keep"],
    ])
    func optionsOfAnotherCommandAreRefused(arguments: [String]) async throws {
        let run = try await Tool(arguments + [server.url("/x")]).start().end()
        #expect(run.status == 2)
        #expect(run.errors.split(separator: "\n").count == 1)
    }
}
