import Foundation
import StreamsLoopback
import Testing

/// `--events`: every event as a line of JSON, in order, and nothing else.
@Suite(.serialized) struct EventsTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test func aSmallExchangeIsToldToTheLetter() async throws {
        server.on("PUT", "/x", .json(#"{"a":"ü"}"#))
        let run = try await Tool.run("PUT", server.url("/x"), "-d", "12345", "--events")
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        let chunk = #"{"event":"chunk","bytes":10}"#
        let download = #"{"event":"download","received":10,"total":10}"#
        try #require(run.lines.count == 6, "\(run.lines)")
        #expect(run.lines[0] == #"{"event":"attempt","number":1,"method":"PUT","url":"\#(server.url("/x"))"}"#)
        #expect(run.lines[1] == #"{"event":"upload","sent":5,"total":5}"#)
        let headers = #"[["content-type","application/json"],["content-length","10"]]"#
        #expect(run.lines[2] == #"{"event":"head","status":200,"headers":\#(headers)}"#)
        #expect(Set(run.lines[3...4]) == [chunk, download])
        #expect(run.lines[5] == #"{"event":"finished","status":200,"bytes":10}"#)
    }

    @Test func anUnknownLengthIsNull() async throws {
        server.on("GET", "/x", Reply(body: .chunked("one", "two")))
        let run = try await Tool.run(server.url("/x"), "--events")
        #expect(run.lines.contains(#"{"event":"download","received":6,"total":null}"#))
        #expect(run.lines.last == #"{"event":"finished","status":200,"bytes":6}"#)
    }

    @Test func everyLineIsJSONWhateverAHeaderSays() async throws {
        server.on("GET", "/x", Reply(headers: ["X-Odd": "a \"b\" \\ \t c/d"], body: .text("x")))
        let run = try await Tool.run(server.url("/x"), "--events")
        for line in run.lines {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
        let head = try #require(run.lines.first { $0.contains(#""event":"head""#) })
        #expect(head.contains(#"["x-odd","a \"b\" \\ \t c/d"]"#))
    }

    @Test func theCountsOfALargeBodyAgree() async throws {
        let size = 3_000_000
        server.on("GET", "/x", .generated(size))
        let folder = try Folder()
        let run = try await Tool.run(server.url("/x"), "--events", "-o", folder.path("file"))
        let events = try run.events
        let chunks = events.filter { $0.event == "chunk" }.compactMap(\.bytes)
        #expect(chunks.reduce(0, +) == size)
        let received = events.filter { $0.event == "download" }.compactMap(\.received)
        #expect(received == received.sorted())
        #expect(received.last == size)
        #expect(events.last?.event == "finished")
        #expect(events.last?.bytes == size)
        #expect(folder.data(of: "file")?.isGenerated(size) == true)
    }

    /// The reader of the events has closed its end; the file is completed anyway.
    @Test func aFileIsCompletedWhenNobodyReadsTheEvents() async throws {
        let size = 3_000_000
        server.on("GET", "/x", .generated(size))
        let folder = try Folder()
        let pipe = Pipe.uninherited()
        try pipe.fileHandleForReading.close()
        let output = pipe.fileHandleForWriting
        let run = try await Tool.run(server.url("/x"), "--events", "-o", folder.path("file"), output: output)
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        #expect(folder.data(of: "file")?.isGenerated(size) == true)
    }

    @Test func whereEventsAreAllThatIsWantedTheirReadersEndIsTheEnd() async throws {
        server.on("GET", "/x", .generated(1 << 40))
        let pipe = Pipe.uninherited()
        try pipe.fileHandleForReading.close()
        let run = try await Tool.run(server.url("/x"), "--events", output: pipe.fileHandleForWriting)
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
    }

    @Test func retriesComeInOrder() async throws {
        server.on("GET", "/x", .status(503, headers: ["Retry-After": "0"]), .text("ok"))
        let run = try await Tool.run(server.url("/x"), "--events", "--retry", "1")
        #expect(run.status == 0)
        let names = try run.events.map(\.event).filter { $0 != "download" }
        #expect(names == ["attempt", "head", "retry", "attempt", "head", "chunk", "finished"])
        #expect(try run.events.filter { $0.event == "attempt" }.map(\.number) == [1, 2])
    }

    @Test func anErrorStatusFinishesAndExitsWith22() async throws {
        server.on("GET", "/x", .text("no", status: 404))
        let run = try await Tool.run(server.url("/x"), "--events")
        #expect(run.status == 22)
        #expect(run.lines.last == #"{"event":"finished","status":404,"bytes":2}"#)
    }

    @Test func aRetryThatIsUsedUpFinishesWithItsStatus() async throws {
        server.on("GET", "/x", .text("busy", status: 503))
        let run = try await Tool.run(server.url("/x"), "--events", "--retry", "1")
        #expect(run.status == 22)
        #expect(run.lines.last == #"{"event":"finished","status":503,"bytes":4}"#)
    }

    @Test func aFailureIsTheLastEvent() async throws {
        server.on("GET", "/x", .text("x").failing(with: .stall(at: .beforeHead)))
        let run = try await Tool.run(server.url("/x"), "--events", "--timeout", "0.2")
        #expect(run.status == 28)
        let last = try #require(try run.events.last)
        #expect(last.event == "failed")
        #expect(last.kind == "timeout.idle")
        #expect(last.exit == 28)
        #expect(last.message?.contains(server.url("/x")) == true)
        #expect(run.lines.last?.hasPrefix(#"{"event":"failed","kind":"timeout.idle","exit":28,"message":""#) == true)
    }

    @Test func aRefusedURLFailsToo() async throws {
        let run = try await Tool.run("/nonsense", "--events")
        #expect(run.status == 3)
        #expect(try run.events.map(\.kind) == ["invalid-request.missing-base-url"])
    }
}

private struct Event: Decodable {
    let event: String
    let number: Int?
    let bytes: Int?
    let received: Int?
    let kind: String?
    let exit: Int?
    let message: String?
}

extension Tool.Run {
    fileprivate var events: [Event] {
        get throws { try lines.map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) } }
    }
}
