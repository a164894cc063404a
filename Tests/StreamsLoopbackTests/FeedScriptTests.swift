import StreamsLoopback
import Testing

/// Feeds, as a client sees them that reconnects.
@Suite(.serialized) struct FeedScriptTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private struct Response: Equatable {
        var head: String
        var content: String
        var end: RawClient.End
        /// Whether the last chunk was received.
        var isComplete: Bool

        var status: String { String(head.prefix(12).suffix(3)) }
    }

    /// Sends a request, and reads the response to the end of the connection.
    private func response(to target: String, _ fields: String...) throws -> Response {
        let client = try RawClient(port: server.port)
        let lines = ["GET \(target) HTTP/1.1", "Host: localhost", "Connection: close"] + fields
        client.send(lines.map { "\($0)\r\n" }.joined() + "\r\n")
        let (text, end) = client.readText()
        guard let headEnd = range(of: "\r\n\r\n", in: text) else {
            return Response(head: text, content: "", end: end, isComplete: false)
        }
        let (content, isComplete) = chunks(of: text[headEnd.upperBound...])
        return Response(
            head: String(text[..<headEnd.lowerBound]), content: content, end: end, isComplete: isComplete)
    }

    private func range(of mark: String, in text: String) -> Range<String.Index>? {
        text.firstRange(of: mark)
    }

    private func chunks(of text: Substring) -> (content: String, isComplete: Bool) {
        var (rest, content) = (Array(text.utf8)[...], "")
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")) {
            guard let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16) else { break }
            rest = rest[(end + 2)...]
            if size == 0 { return (content, true) }
            content += String(decoding: rest.prefix(size), as: UTF8.self)
            rest = rest.dropFirst(size + 2)
        }
        return (content, false)
    }

    private func events(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { "id: \($0)\ndata: {\"n\":\($0)}\n\n" }.joined()
    }

    private func lines(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { "{\"n\":\($0)}\n" }.joined()
    }

    @Test func servesNumberedEvents() throws {
        server.on("GET", "/", feed: FeedScript(.serverSentEvents, count: 3))
        let response = try response(to: "/")
        #expect(response.head.contains("Content-Type: text/event-stream\r\n"))
        #expect(response.content == events(1...3))
        #expect(response.isComplete)
        #expect(response.end == .orderly)
    }

    @Test func servesNumberedLines() throws {
        server.on("GET", "/", feed: FeedScript(.jsonLines, count: 200))
        let response = try response(to: "/")
        #expect(response.head.contains("Content-Type: application/x-ndjson\r\n"))
        #expect(response.content == lines(1...200))
        #expect(response.isComplete)
    }

    @Test func continuesAfterTheCursor() throws {
        server.on("GET", "/events", feed: FeedScript(.serverSentEvents, count: 5))
        #expect(try response(to: "/events", "Last-Event-ID: 3").content == events(4...5))
        #expect(try response(to: "/events", "Last-Event-ID: 0").content == events(1...5))
        server.on("GET", "/lines", feed: FeedScript(.jsonLines, count: 5))
        #expect(try response(to: "/lines?x=1&after=4").content == lines(5...5))
        server.on("GET", "/other", feed: FeedScript(.jsonLines, count: 5, cursor: .query("from")))
        #expect(try response(to: "/other?after=4&from=2").content == lines(3...5))
    }

    @Test(arguments: ["5", "6", "9223372036854775807"])
    func answers204AfterTheLastElement(cursor: String) throws {
        server.on("GET", "/", feed: FeedScript(.serverSentEvents, count: 5))
        #expect(try response(to: "/", "Last-Event-ID: \(cursor)").status == "204")
    }

    @Test(arguments: ["x", "-1", "1.5", "99999999999999999999"])
    func answers400ForAMalformedCursor(cursor: String) throws {
        server.on("GET", "/", feed: FeedScript(.serverSentEvents, count: 5))
        #expect(try response(to: "/", "Last-Event-ID: \(cursor)").status == "400")
    }

    @Test func endsConnectionsByTheirScripts() throws {
        server.on(
            "GET", "/",
            feed: FeedScript(
                .serverSentEvents, count: 6, .elements(2), .elements(1, then: .close), .elements(1, then: .reset),
                .status(503), .elements()))
        let first = try response(to: "/")
        #expect(first.content == events(1...2))
        #expect(first.isComplete)
        let second = try response(to: "/", "Last-Event-ID: 2")
        #expect(second.content == events(3...3))
        #expect(!second.isComplete && second.end == .orderly)
        let third = try response(to: "/", "Last-Event-ID: 3")
        #expect(third.content == events(4...4))
        #expect(!third.isComplete && third.end == .reset)
        #expect(try response(to: "/", "Last-Event-ID: 4").status == "503")
        for _ in 0..<2 { #expect(try response(to: "/", "Last-Event-ID: 4").content == events(5...6)) }
    }

    @Test func sendsAPartOfTheNextElement() throws {
        let scripts: [FeedScript.Connection] = [
            .elements(1, partial: 9, then: .close), .elements(0, partial: 9), .elements(1, partial: 1000),
            .elements(2, partial: 5),
        ]
        server.on("GET", "/", feed: FeedScript(.serverSentEvents, count: 3) { scripts[$0 - 1] })
        #expect(try response(to: "/").content == "\(events(1...1))id: 2\ndat")
        #expect(try response(to: "/").content == "id: 1\ndat")
        #expect(try response(to: "/").content == events(1...2).dropLast())
        // There is no element after the last.
        #expect(try response(to: "/", "Last-Event-ID: 1").content == events(2...3))
    }

    @Test func stallsUntilTheClientDisconnects() async throws {
        server.on("GET", "/", feed: FeedScript(.serverSentEvents, count: 3, .elements(2, then: .stall)))
        do {
            let client = try RawClient(port: server.port)
            client.send(request("GET", "/"))
            #expect(client.read(through: "{\"n\":2}\n\n").hasSuffix("{\"n\":2}\n\n"))
            try await server.wait { $0.requests.first?.state == .waiting }
        }
        try await server.waitForDisconnection()
    }

    @Test func pausesBetweenElements() async throws {
        server.on("GET", "/", feed: FeedScript(.jsonLines, count: 4, .elements(every: .milliseconds(5))))
        let start = ContinuousClock.now
        #expect(try response(to: "/").content == lines(1...4))
        #expect(ContinuousClock.now - start >= .milliseconds(15))
    }

    @Test func holdsElementsUntilTheGateOpens() async throws {
        let gate = Gate()
        server.on("GET", "/", feed: FeedScript(.jsonLines, count: 1, .elements().held(by: gate)))
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/"))
        #expect(client.readHead().hasPrefix("HTTP/1.1 200"))
        try await server.wait { $0.requests.first?.state == .waiting }
        #expect(server.bytesWritten == 0)
        gate.open()
        #expect(client.read(through: "0\r\n\r\n") == "8\r\n{\"n\":1}\n\r\n0\r\n\r\n")
    }

    @Test func forgetsElements() throws {
        server.on("GET", "/gone", feed: FeedScript(.serverSentEvents, count: 9, .elements().forgetting(before: 5)))
        #expect(try response(to: "/gone", "Last-Event-ID: 3").status == "410")
        #expect(try response(to: "/gone", "Last-Event-ID: 4").content == events(5...9))
        #expect(try response(to: "/gone").content == events(5...9))
        server.on(
            "GET", "/later", feed: FeedScript(.serverSentEvents, count: 9, .elements().forgetting(before: 5, .later)))
        #expect(try response(to: "/later", "Last-Event-ID: 3").content == events(5...9))
        #expect(try response(to: "/later", "Last-Event-ID: 7").content == events(8...9))
    }

    @Test func sendsContentAndReconnectionTime() throws {
        var feed = FeedScript(.serverSentEvents, count: 1)
        feed.retry = .milliseconds(1500)
        feed.content = { "a\($0)\n\nb" }
        server.on("GET", "/", feed: feed)
        #expect(try response(to: "/").content == "retry: 1500\n\nid: 1\ndata: a1\ndata: \ndata: b\n\n")
    }

    @Test func repeatsItsRandomInterruptionsForASeed() throws {
        func transcript(_ seed: UInt64) throws -> [Response] {
            server.on(
                "GET", "/",
                feed: FeedScript(
                    .serverSentEvents, count: 1000, seed: seed, elements: 1...9, endings: [.finish, .close]))
            return try (0..<30).map { _ in try response(to: "/") }
        }
        let first = try transcript(1)
        #expect(try transcript(1) == first)
        #expect(try transcript(2) != first)
        #expect(Set(first.map(\.isComplete)) == [true, false])
        #expect(Set(first.map { $0.content.hasSuffix("\n\n") }) == [true, false])
        let counts = first.map { $0.content.split(separator: "data: ").count }
        #expect(Set(counts).count > 5)
    }

    @Test func deliversEachElementOnceToAClientThatReconnects() throws {
        server.on(
            "GET", "/", feed: FeedScript(.serverSentEvents, count: 200, seed: 7, endings: [.finish, .close, .reset]))
        var (received, last) = ("", 0)
        for _ in 0..<1000 {
            let response = try response(to: "/", "Last-Event-ID: \(last)")
            if response.status == "204" { break }
            // Only whole events count.
            let events = response.content.split(separator: "\n\n", omittingEmptySubsequences: false).dropLast()
            received += events.map { "\($0)\n\n" }.joined()
            last += events.count
        }
        #expect(received == events(1...200))
    }

    @Test func servesAnEndlessFeed() throws {
        server.on("GET", "/", feed: FeedScript(.jsonLines, count: .max))
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/", "Connection: close"))
        #expect(client.readHead().contains("Transfer-Encoding: chunked\r\n"))
        let text = String(decoding: client.read(exactly: 1 << 20), as: UTF8.self)
        #expect(text.utf8.count == 1 << 20)
        #expect(text.contains("{\"n\":50000}\n{\"n\":50001}\n"))
    }
}
