import StreamsLoopback
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// The connections, feeds and downloads of a snapshot, with a real server.
@Suite(.reservesDescriptors) struct ConnectionSnapshotTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func events(_ gate: Gate) -> Reply {
        Reply(headers: ["Content-Type": "text/event-stream"], body: .chunked("id: 7\ndata: a\n\n", .hold(gate)))
    }

    @Test func countsConnectionsAndTheirReuse() async throws {
        server.on("GET", "/text", .text("text"))
        let client = server.client()
        for _ in 0..<3 { _ = try await client.response(for: HTTPRequest(.get, "/text")) }
        let idle = try await client.onlyOrigin { $0.exchanges == 0 }
        #expect(idle.open == 1 && idle.idle == 1 && idle.connecting == 0)
        #expect(idle.opened == 1 && idle.reused == 2 && idle.reuseRatio == 2.0 / 3)
        #expect(idle.version == .http11 && idle.origin == "http://127.0.0.1:\(server.port)")

        let gate = Gate()
        server.on("GET", "/held", Reply(body: .chunked("a", .hold(gate))))
        let recorders = (0..<2).map { _ in EventRecorder<Void>() }
        for recorder in recorders { client.events(for: HTTPRequest(.get, "/held")).subscribe(recorder) }
        let busy = try await client.onlyOrigin { $0.exchanges == 2 }
        #expect(busy.open == 2 && busy.idle == 0 && busy.opened == 2 && busy.reused == 3)
        recorders[0].cancel()
        // A connection with the rest of a body on it is closed.
        let closed = try await client.onlyOrigin { $0.exchanges == 1 && $0.open == 1 }
        #expect(closed.idle == 0)
        gate.open()
        try await recorders[1].finished()
        _ = try await client.onlyOrigin { $0.exchanges == 0 && $0.idle == 1 }
    }

    @Test func countsConnectionsUnderWay() async throws {
        let listener = try FullListener()
        let client = HTTPClient(connectTimeout: .seconds(300))
        let recorder = EventRecorder<Void>()
        client.events(for: HTTPRequest(.get, listener.url)).subscribe(recorder)
        let connecting = try await client.onlyOrigin { $0.connecting == 1 }
        #expect(connecting.open == 0 && connecting.exchanges == 0 && connecting.reuseRatio == nil)
        recorder.cancel()
        _ = try await client.onlyOrigin { $0.connecting == 0 }
        withExtendedLifetime(listener) {}
    }

    @Test func refusedConnectionsAreNotCounted() async throws {
        let client = HTTPClient()
        _ = try? await client.response(for: HTTPRequest(.get, "http://127.0.0.1:1/"))
        let refused = try await client.onlyOrigin { $0.connecting == 0 }
        #expect(refused.open == 0 && refused.exchanges == 0 && refused.opened == 0)
    }

    @Test func exchangesOfHTTP2ShareConnections() {
        var connections = OriginConnections(origin: "https://h:443", version: .http2, open: 1, exchanges: 30)
        #expect(connections.idle == 0)
        connections.exchanges = 0
        #expect(connections.idle == 1)
        connections.version = .http11
        connections.exchanges = 3
        #expect(connections.idle == 0)
    }

    @Test func reuseOfManyExchangesDoesNotOverflow() {
        #expect(OriginConnections(origin: "http://h:80", opened: .max, reused: 1).reuseRatio == nil)
    }

    @Test func showsFeeds() async throws {
        let gate = Gate()
        server.on("GET", "/feed", events(gate))
        let client = server.client().configuring { $0.maxConcurrentFeeds = 1 }
        let (first, second) = (FeedRecorder<ServerSentEvent>(), FeedRecorder<ServerSentEvent>())
        let feed = client.serverSentEvents(for: HTTPRequest(.get, "/feed?token=secret"))
        feed.events.checkpoint("orders").subscribe(first)
        feed.events.subscribe(second)
        try await first.recording.wait(for: "an element") { $0.elements.count == 1 }
        let snapshot = client.snapshot
        #expect(snapshot.feeds.map(\.phase) == [.open, .queued] && snapshot.requests.isEmpty)
        #expect(snapshot.feedQueue.running == 1 && snapshot.feedQueue.waiting == 1 && snapshot.feedQueue.limit == 1)
        let row = snapshot.feeds[0]
        #expect(row.position == "7" && row.elements == 1 && row.connections == 1 && row.callSite?.label == "orders")
        #expect(!"\(snapshot)".contains("secret") && "\(snapshot)".contains("GET http://127.0.0.1"))
        first.cancel()
        second.cancel()
        gate.open()
        #expect(client.snapshot.feeds.isEmpty)
    }

    @Test func showsAFeedThatWaits() async throws {
        let scheduler = TestScheduler()
        let client = AnsweringTransport { _, _ in .reply(.serviceUnavailable) }.client(scheduler)
        let feed = FeedRecorder<ServerSentEvent>()
        client.serverSentEvents(for: HTTPRequest(.get, "/feed")).events.subscribe(feed)
        try await feed.recording.wait(for: "a wait") { $0.outline.last == "waiting: status" }
        #expect(await scheduler.wait(forPending: 1))
        let row = try #require(client.snapshot.feeds.first)
        #expect(row.phase == .waiting && row.connections == 1 && row.elements == 0 && row.position == nil)
        feed.cancel()
    }

    /// A position comes from the server.
    @Test func escapesPositions() async throws {
        let gate = Gate()
        server.on(
            "GET", "/feed",
            Reply(
                headers: ["Content-Type": "text/event-stream"],
                body: .chunked("id: \u{1B}[2J\ndata: a\n\n", .hold(gate))))
        let feed = FeedRecorder<ServerSentEvent>()
        let client = server.client()
        client.serverSentEvents(for: HTTPRequest(.get, "/feed")).events.subscribe(feed)
        try await feed.recording.wait(for: "an element") { $0.elements.count == 1 }
        #expect(client.snapshot.feeds.first?.position == "\\u{1B}[2J")
        feed.cancel()
        gate.open()
    }

    @Test func showsDownloads() async throws {
        let folder = try ScratchFolder()
        let gate = Gate()
        server.on("GET", "/file", Reply(body: .chunked(.generated(10_000), .hold(gate), "rest")))
        let client = server.client()
        let recorder = DownloadRecorder()
        client.download(HTTPRequest(.get, "/file"), to: "\(folder.path)/file").checkpoint("file").subscribe(recorder)
        let row = try await client.snapshot { $0.requests.first?.receivedBytes == 10_000 }.requests[0]
        #expect(row.path == "\(folder.path)/file" && row.phase == .receiving && row.attempt == 1)
        #expect(row.callSite?.label == "file" && row.sentBytes == 0)
        #expect("\(client.snapshot)".contains("GET \(server.url("/file")), to \(folder.path)/file, file ("))
        gate.open()
        _ = try await recorder.finished()
        #expect(client.snapshot.requests.isEmpty)
    }
}

extension HTTPClient {
    /// Waits for a snapshot that meets a condition.
    fileprivate func snapshot(_ condition: (Snapshot) -> Bool) async throws -> Snapshot {
        let deadline = ContinuousClock.now + .seconds(240)
        while true {
            let snapshot = self.snapshot
            if condition(snapshot) { return snapshot }
            guard ContinuousClock.now < deadline else { throw Overdue(what: "a snapshot", state: "\(snapshot)") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Waits until the connections to the only origin meet a condition.
    fileprivate func onlyOrigin(_ condition: (OriginConnections) -> Bool) async throws -> OriginConnections {
        let snapshot = try await snapshot { $0.origins.first?.connections.map(condition) == true }
        return try #require(snapshot.origins.count == 1 ? snapshot.origins[0].connections : nil)
    }
}
