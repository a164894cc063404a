import Foundation
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

    /// Returns the connections to a server. They have been counted when a request that has ended is reported.
    private func connections(of client: HTTPClient, to port: Int? = nil) throws -> OriginConnections {
        let name = "http://127.0.0.1:\(port ?? server.port)"
        return try #require(client.snapshot.origins.first { $0.name == name }?.connections)
    }

    /// Makes a request. When it has ended, the transport has acted on everything that was asked of it before.
    private func synchronize(_ client: HTTPClient) async throws {
        let response = try await client.response(for: HTTPRequest(.get, server.url("/text")))
        #expect(response.status == .ok)
    }

    @Test func countsConnectionsAndTheirReuse() async throws {
        server.on("GET", "/text", .text("text"))
        let client = server.client()
        for _ in 0..<3 { try await synchronize(client) }
        let idle = try connections(of: client)
        #expect(idle.open == 1 && idle.idle == 1 && idle.connecting == 0 && idle.exchanges == 0)
        #expect(idle.opened == 1 && idle.reused == 2 && idle.reuseRatio == 2.0 / 3 && idle.version == .http11)

        let gate = Gate()
        server.on("GET", "/held", Reply(body: .chunked("a", .hold(gate))))
        let recorders = (0..<2).map { _ in EventRecorder<Void>() }
        for recorder in recorders {
            client.events(for: HTTPRequest(.get, "/held")).subscribe(recorder)
            try await recorder.wait(for: "a chunk") { $0.chunkCount == 1 }
        }
        let busy = try connections(of: client)
        #expect(busy.open == 2 && busy.idle == 0 && busy.opened == 2 && busy.reused == 3 && busy.exchanges == 2)
        recorders[0].cancel()
        try await synchronize(client)
        // A connection with the rest of a body on it is closed, and the other request needed another one.
        let closed = try connections(of: client)
        #expect(closed.open == 2 && closed.idle == 1 && closed.opened == 3 && closed.exchanges == 1)
        gate.open()
        try await recorders[1].finished()
        let last = try connections(of: client)
        #expect(last.open == 2 && last.idle == 2 && last.exchanges == 0)
    }

    @Test func countsConnectionsUnderWay() async throws {
        server.on("GET", "/text", .text("text"))
        let listener = try FullListener()
        let port = try #require(URL(string: listener.url)?.port)
        let client = HTTPClient(connectTimeout: .seconds(300))
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, listener.url)))
        try await synchronize(client)
        let connecting = try connections(of: client, to: port)
        #expect(connecting.connecting == 1 && connecting.open == 0)
        #expect(connecting.exchanges == 0 && connecting.reuseRatio == nil)
        recorder.cancel()
        try await synchronize(client)
        #expect(try connections(of: client, to: port).connecting == 0)
        withExtendedLifetime(listener) {}
    }

    @Test func refusedConnectionsAreNotCounted() async throws {
        let client = HTTPClient()
        #expect(await client.outcome(of: "http://127.0.0.1:1/") == "connection.refused")
        let refused = try connections(of: client, to: 1)
        #expect(refused.connecting == 0 && refused.open == 0 && refused.exchanges == 0 && refused.opened == 0)
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

    /// A stream that is cancelled leaves its connection to others.
    @Test func countsStreamsOfAConnection() async throws {
        server.on("GET", "/text", .text("text"))
        let gate = Gate()
        server.on("GET", "/held", Reply(body: .chunked("a", .hold(gate))))
        let client = server.http2Client()
        let recorders = (0..<2).map { _ in client.subscribe(HTTPRequest(.get, "/held")) }
        for recorder in recorders { try await recorder.wait(for: "a chunk") { $0.chunkCount == 1 } }
        let busy = try connections(of: client)
        #expect(busy.open == 1 && busy.idle == 0 && busy.exchanges == 2 && busy.opened == 1 && busy.reused == 1)
        recorders[0].cancel()
        try await synchronize(client)
        let cancelled = try connections(of: client)
        #expect(cancelled.open == 1 && cancelled.idle == 0 && cancelled.exchanges == 1 && cancelled.version == .http2)
        gate.open()
        try await recorders[1].finished()
        let last = try connections(of: client)
        #expect(last.open == 1 && last.idle == 1 && last.exchanges == 0 && last.opened == 1 && last.reused == 2)
    }

    @Test func reuseOfManyExchangesDoesNotOverflow() {
        #expect(OriginConnections(origin: "http://h:80", opened: .max, reused: 1).reuseRatio == nil)
    }

    @Test func showsFeeds() async throws {
        let gate = Gate()
        server.on("GET", "/feed", events(gate))
        let client = server.client().configuring { $0.limits.maxConcurrentFeeds = 1 }
        let (first, second) = (FeedRecorder<ServerSentEvent<String>>(), FeedRecorder<ServerSentEvent<String>>())
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
        await client.shutdown()
        #expect(client.snapshot.feeds.isEmpty)
    }

    @Test func showsAFeedThatWaits() async throws {
        let scheduler = TestScheduler()
        let client = AnsweringTransport { _, _ in .reply(.serviceUnavailable) }.client(scheduler)
        let feed = FeedRecorder(of: client.serverSentEvents(for: HTTPRequest(.get, "/feed")).events)
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
        let feed = FeedRecorder<ServerSentEvent<String>>()
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
        server.on("GET", "/file", Reply(body: .init([.generated(10_000), .hold(gate), "rest"])))
        let client = server.client(options: .with { $0.progress = .everyChunk })
        let recorder = DownloadRecorder()
        client.download(for: HTTPRequest(.get, "/file"), to: "\(folder.path)/file").checkpoint("file").subscribe(
            recorder)
        try await recorder.recording.wait(for: "the first bytes") { $0.progress.last?.completed == 10_000 }
        let row = try #require(client.snapshot.requests.first)
        #expect(row.receivedBytes == 10_000)
        #expect(row.path == "\(folder.path)/file" && row.phase == .receiving && row.attempt == 1)
        #expect(row.callSite?.label == "file" && row.sentBytes == 0)
        #expect("\(client.snapshot)".contains("GET \(server.url("/file")), to \(folder.path)/file, file ("))
        gate.open()
        _ = try await recorder.finished()
        let contents = try Data(contentsOf: URL(filePath: "\(folder.path)/file"))
        #expect(contents == Data(GeneratedBytes.bytes(0..<10_000) + "rest".utf8))
        await client.shutdown()
        #expect(client.snapshot.requests.isEmpty)
    }
}
