import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

@Suite(.reservesDescriptors) struct ServerSentEventFeedTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func reply(_ text: String, status: Int = 200) -> Reply {
        Reply(status, headers: ["Content-Type": "text/event-stream"], body: .text(text))
    }

    private func numbered(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { "id: \($0)\ndata: event \($0)\n\n" }.joined()
    }

    private func record(
        demand: Subscribers.Demand = .unlimited, lastEventID: String = "", client: HTTPClient? = nil,
        _ change: (inout FeedOptions) -> Void = { _ in }
    ) -> FeedRecorder<ServerSentEvent<String>> {
        var options = FeedOptions.immediate
        change(&options)
        let recorder = FeedRecorder<ServerSentEvent<String>>(demand: demand)
        (client ?? server.client()).serverSentEvents(
            for: HTTPRequest(.get, "/"), lastEventID: lastEventID, options: options
        ).events.subscribe(recorder)
        return recorder
    }

    @Test func resumesAfterTheLastEvent() async throws {
        let replies = [reply(numbered(1...3)), reply(numbered(4...5)), reply("", status: 204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await record().finished()
        #expect(recording.elements.map(\.id) == ["1", "2", "3", "4", "5"])
        #expect(recording.failure == nil)
        #expect(
            recording.outline == [
                "connecting 1", "open 200", "elements", "waiting: end",
                "connecting 2", "open 200", "elements", "waiting: end", "connecting 3",
            ])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "3", "5"])
        #expect(server.requests.allSatisfy { $0.headers["Accept"] == "text/event-stream" })
    }

    @Test func dropsWhatIsSentAgain() async throws {
        let replies = [reply(numbered(1...3)), reply(numbered(2...5)), reply("", status: 204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await record().finished()
        #expect(recording.elements.map(\.id) == ["1", "2", "3", "4", "5"])
    }

    @Test func resumesAfterAnEventThatBrokeOff() async throws {
        let whole = numbered(1...3)
        let first = reply(whole).failing(with: .close(at: .inBody(after: whole.utf8.count - 3)))
        let replies = [first, reply(numbered(3...4)), reply("", status: 204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await record().finished()
        #expect(recording.elements.map(\.id) == ["1", "2", "3", "4"])
        #expect(recording.outline.contains("waiting: transfer.body-ended-early"))
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "2", "4"])
    }

    @Test func reportsThatItCannotResume() async throws {
        let replies = [reply("data: a\n\n"), reply("data: b\n\n"), reply("", status: 204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await record().finished()
        #expect(recording.elements.map(\.data) == ["a", "b"])
        #expect(recording.outline.count { $0 == "feed.not-resumable" } == 1)
    }

    @Test func startsOverWhenTheServerHasForgotten() async throws {
        let replies = [reply(numbered(1...2)), .status(410), reply(numbered(7...8)), reply("", status: 204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await record().finished()
        #expect(recording.elements.map(\.id) == ["1", "2", "7", "8"])
        #expect(
            recording.outline.dropFirst(4).prefix(3) == ["connecting 2", "feed.cursor-expired", "connecting 2"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "2", nil, "8"])
    }

    @Test func reportsElementsThatAServerHasForgotten() async throws {
        let replies = [
            reply(numbered(3...4)), reply(numbered(4...5)), reply(numbered(8...9) + numbered(11...11)), .status(410),
            reply(numbered(90...90) + "id: x\ndata: event x\n\n"), reply("", status: 204),
        ]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recorder = record(lastEventID: "2") { $0.areSuccessive = FeedOptions.consecutiveNumbers }
        let recording = try await recorder.finished()
        #expect(recording.elements.map(\.id) == ["3", "4", "5", "8", "9", "11", "90", "x"])
        let afterGaps = zip(recording.events, recording.events.dropFirst()).compactMap { event, next -> String? in
            guard case .gap(.missingElements) = event, case .element(let element) = next else { return nil }
            return element.id
        }
        #expect(afterGaps == ["8", "11", "x"])
        #expect(recording.outline.count { $0.hasPrefix("feed.") } == 4)
    }

    @Test func goneWithoutAnIDIsPermanent() async throws {
        server.on("GET", "/", .status(410))
        let recording = try await record().finished()
        #expect(recording.failure?.name == "status")
        #expect(server.requests.count == 1)
    }

    @Test func commitsAnIDWithoutData() async throws {
        let replies = [reply("data: a\nid: 1\n\nid: 2\n\n: end\n"), reply("", status: 204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await record { $0.deliversComments = true }.finished()
        #expect(recording.outline.contains("commentend"))
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "2"])
    }

    @Test func beginsAfterAnID() async throws {
        server.on("GET", "/", reply("", status: 204))
        _ = try await record(lastEventID: "41").finished()
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == ["41"])
    }

    @Test(arguments: [400, 401, 403, 404, 422]) func clientErrorsArePermanent(status: Int) async throws {
        server.on("GET", "/", .status(status))
        let recording = try await record().finished()
        #expect(recording.failure?.response?.status.code == status)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [408, 425, 429, 500, 503]) func transientErrorsAreRetried(status: Int) async throws {
        let replies: [Reply] = [.status(status), reply("", status: 204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await record().finished()
        #expect(recording.failure == nil)
        #expect(recording.outline == ["connecting 1", "waiting: status", "connecting 2"])
    }

    @Test func anotherContentTypeIsPermanent() async throws {
        server.on("GET", "/", .text("data: a\n\n"))
        let recording = try await record().finished()
        guard case .transfer(.unexpectedContentType("text/plain; charset=utf-8")) = recording.failure?.reason else {
            Issue.record("\(String(describing: recording.failure))")
            return
        }
    }

    /// The first event has no ID, so each later connection begins with a gap, if it opens.
    @Test func aConnectionThatDoesNotOpenHasNoGap() async throws {
        let other = Reply(headers: ["Content-Type": "text/html"], body: .text("data: b\n\n"))
        for last in [other, reply("", status: 204), reply("data: b\n\n", status: 206)] {
            let replies = [reply("data: a\n\n"), last]
            server.on("GET", "/") { replies[($0.turn - 1) % 2] }
            let recording = try await record().finished()
            #expect(recording.outline == ["connecting 1", "open 200", "elements", "waiting: end", "connecting 2"])
            #expect((recording.failure == nil) == (last.status == 204))
        }
    }

    @Test func aFirstConnectionThatFailsLeavesNoGapBehind() async throws {
        let replies = [
            Reply(headers: ["Content-Type": "text/html"], body: .text("")), reply("data: a\n\n"),
            reply("", status: 204),
        ]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await record { $0.reconnection.shouldRetry = { _ in true } }.finished()
        #expect(!recording.outline.contains("feed.not-resumable"))
        #expect(recording.elements.map(\.data) == ["a"])
    }

    @Test func aRedirectWithoutATargetIsPermanent() async throws {
        server.on("GET", "/", .status(302))
        let recording = try await record().finished()
        #expect(recording.failure != nil)
        #expect(server.requests.count == 1)
    }

    @Test func anErrorIsNoFeedWhateverTheValidation() async throws {
        let page = reply("data: an error page\n\n", status: 404)
        server.on("GET", "/", page)
        let client = server.client(options: .with { $0.validation = .acceptAll })
        let recording = try await record(client: client).finished()
        #expect(recording.failure?.response?.status == .notFound)
        #expect(recording.outline == ["connecting 1"])
        let lines = FeedRecorder(of: client.lines(for: HTTPRequest(.get, "/"), options: .immediate).events)
        #expect(try await lines.finished().failure?.response?.status == .notFound)
        #expect(server.requests.count == 2)
    }

    @Test func theValidationMayRefuseASuccess() async throws {
        server.on("GET", "/", reply(numbered(1...2)))
        let client = server.client(options: .with { $0.validation = .custom { $0.headers["X-Feed"] != nil } })
        let recording = try await record(client: client).finished()
        #expect(recording.failure?.response?.status == .ok)
        #expect(recording.elements.isEmpty)
    }

    @Test func forgetsLongIdentifiers() async throws {
        let (long, short) = (String(repeating: "x", count: 1025), String(repeating: "x", count: 1024))
        let events = reply("id: \(long)\ndata: long\n\nid: \(short)\ndata: short\n\n")
        let replies = [events, events, reply("", status: 204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await record().finished()
        #expect(recording.elements.map(\.data) == ["long", "short", "long"])
    }

    @Test func thePolicyDecidesOtherwise() async throws {
        let replies: [Reply] = [.status(404), reply("", status: 204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await record {
            $0.reconnection.shouldRetry = { $0.response?.status == .notFound ? true : nil }
        }.finished()
        #expect(recording.failure == nil)
    }

    @Test func endsWithoutReconnection() async throws {
        server.on("GET", "/", reply(numbered(1...2)))
        let recording = try await record { $0.reconnection = .never }.finished()
        #expect(recording.failure == nil)
        #expect(recording.outline == ["connecting 1", "open 200", "elements"])
    }

    @Test func failsWithTheLastErrorAfterTooManyReconnections() async throws {
        server.on("GET", "/", .status(503))
        let recording = try await record { $0.reconnection.maxRetries = 2 }.finished()
        #expect(recording.failure?.response?.status == .serviceUnavailable)
        #expect(server.requests.count == 3)
    }

    @Test func anElementBeyondTheLimitIsPermanent() async throws {
        server.on("GET", "/", reply("data: \(String(repeating: "x", count: 200_000))\n\n"))
        let recording = try await record { $0.maxElementSize = 100_000 }.finished()
        guard case .transfer(.elementTooLarge(limit: 100_000)) = recording.failure?.reason else {
            Issue.record("\(String(describing: recording.failure))")
            return
        }
    }

    @Test func takesOptionsThatAreNotSetFromTheClient() async throws {
        server.on("GET", "/", reply("data: \(String(repeating: "x", count: 200_000))\n\n"))
        let client = server.client().configuring { $0.feedOptions.maxElementSize = 100_000 }
        let recording = try await record(client: client) { $0.duplicateWindow = 7 }.finished()
        guard case .transfer(.elementTooLarge(limit: 100_000)) = recording.failure?.reason else {
            Issue.record("\(String(describing: recording.failure))")
            return
        }
    }

    @Test func deliversWhatIsRequested() async throws {
        server.on("GET", "/", reply(numbered(1...100)))
        let recorder = record(demand: .none) { $0.reconnection = .never }
        for count in 1...102 {
            recorder.request(.max(1))
            try await recorder.recording.wait(for: "an event") { $0.events.count == count }
        }
        let recording = try await recorder.finished()
        #expect(recording.elements.map(\.data) == (1...100).map { "event \($0)" })
    }

    @Test func decodesTheData() async throws {
        server.on(
            "GET", "/", reply("id: 7\ndata: {\"text\":\"one\"}\n\ndata: no\n\nevent: b\ndata: {\"text\":\"two\"}\n\n"))
        var options = FeedOptions(reconnection: .never)
        let client = server.client()
        func recording() async throws -> FeedRecording<ServerSentEvent<Greeting>> {
            let recorder = FeedRecorder<ServerSentEvent<Greeting>>()
            client.serverSentEvents(of: Greeting.self, for: HTTPRequest(.get, "/"), options: options).events
                .subscribe(recorder)
            return try await recorder.finished()
        }
        let failed = try await recording()
        #expect(failed.elements.map(\.data.text) == ["one"])
        #expect(failed.failure?.name == "decoding")
        options.undecodableElements = .skip
        let skipped = try await recording()
        #expect(skipped.elements.map(\.data.text) == ["one", "two"])
        #expect(skipped.elements.map(\.id) == ["7", "7"] && skipped.elements.map(\.type) == ["message", "b"])
        #expect(skipped.outline.contains("feed.undecodable"))
        let texts = skipped.events.map { if case .gap(let gap) = $0 { "\(gap)" } else { "" } }
        #expect(texts.contains { $0.contains("could not be decoded: ") })
    }

    @Test func iteratesAndThrowsWhenCancelled() async throws {
        server.on(
            "GET", "/",
            Reply(
                headers: ["Content-Type": "text/event-stream"],
                body: .chunked("id: 1\ndata: a\n\n", .hold(Gate()))))
        let client = server.client()
        let seen = Watched(0)
        let task = Task {
            for try await event in client.serverSentEvents(for: HTTPRequest(.get, "/")).values {
                seen.update { $0 += event.data == "a" ? 1 : 0 }
            }
        }
        try await seen.wait(for: "an event") { $0 == 1 }
        task.cancel()
        await #expect(throws: HTTPError.self) { try await task.value }
    }
}

extension FeedOptions {
    /// Options without delays.
    static var immediate: FeedOptions {
        FeedOptions(reconnection: .init(backoff: .init(initial: .zero, maximum: .zero)))
    }
}
