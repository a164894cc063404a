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

    @Test func aPostIsResumedToo() async throws {
        let feed = FeedScript(.serverSentEvents, count: 3, .elements(2, then: .close), .elements())
        server.on("POST", "/x", feed: feed)
        let run = try await Tool.run("sse", "--reconnect-delay", "0.01", "POST", server.url("/x"), "-d", "{}")
        #expect(run.status == 0)
        #expect(run.lines == [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#])
    }

    @Test func dataAloneIsWrittenByLine() async throws {
        server.on("GET", "/x", feed: FeedScript(.serverSentEvents, count: 2))
        let run = try await Tool.run("sse", "--no-reconnect", server.url("/x"))
        #expect(run.status == 0)
        #expect(run.lines == [#"{"n":1}"#, #"{"n":2}"#])
        #expect(run.errors.isEmpty)
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

    @Test func pollsWriteChangesAlone() async throws {
        let texts = ["a", "a", "b"]
        server.on("GET", "/x") { request in
            request.turn <= texts.count ? .text(texts[request.turn - 1]) : .status(404)
        }
        let run = try await Tool.run("poll", "--every", "0.01", server.url("/x"))
        #expect(run.status == 22)
        #expect(run.lines == ["a", "b"])
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
