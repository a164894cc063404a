import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// Feeds beside a client's other requests, and at its end.
@Suite(.reservesDescriptors) struct FeedLaneTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on(
            "GET", "/feed",
            Reply(
                headers: ["Content-Type": "text/event-stream"], body: .chunked("id: 1\ndata: a\n\n", .hold(Gate()))))
        server.on("GET", "/text", .text("text"))
    }

    private func client(_ change: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: server.url("")))
        change(&configuration)
        return HTTPClient(configuration: configuration)
    }

    private func record(_ client: HTTPClient) -> FeedRecorder<ServerSentEvent<String>> {
        FeedRecorder(of: client.serverSentEvents(for: HTTPRequest(.get, "/feed")).events)
    }

    @Test func feedsTakeNoPlaceOfRequests() async throws {
        let client = client { $0.limits.maxConcurrentRequests = 1 }
        let feeds = (0..<3).map { _ in record(client) }
        for feed in feeds { try await feed.recording.wait(for: "an element") { $0.elements.count == 1 } }
        #expect(try await client.response(for: HTTPRequest(.get, "/text")).status == .ok)
        for feed in feeds { feed.cancel() }
    }

    @Test func feedsWaitForTheirOwnLimit() async throws {
        let client = client { $0.limits.maxConcurrentFeeds = 1 }
        let (first, second) = (record(client), record(client))
        try await first.recording.wait(for: "an element") { $0.elements.count == 1 }
        #expect(second.recording.value.events.isEmpty)
        first.cancel()
        try await second.recording.wait(for: "an element") { $0.elements.count == 1 }
        second.cancel()
    }

    @Test func shutdownFinishesFeeds() async throws {
        let client = client()
        let feed = record(client)
        try await feed.recording.wait(for: "an element") { $0.elements.count == 1 }
        await client.shutdown()
        let recording = try await feed.finished()
        #expect(recording.failure == nil)
        let late = try await record(client).finished()
        #expect(late.failure?.name == "invalid-request.client-shut-down")
    }

    @Test func shutdownEndsTheWaitForAReconnection() async throws {
        let scheduler = TestScheduler()
        let client = AnsweringTransport { _, _ in .reply(.serviceUnavailable) }.client(scheduler)
        let feed = record(client)
        try await feed.recording.wait(for: "a wait") { $0.outline.last == "waiting: status" }
        await client.shutdown()
        #expect(try await feed.finished().failure == nil)
        await scheduler.settle()
        #expect(scheduler.pendingCount == 0)
    }

    @Test func cancelAllFailsFeeds() async throws {
        let client = client()
        let feed = record(client)
        try await feed.recording.wait(for: "an element") { $0.elements.count == 1 }
        client.cancelAll()
        #expect(try await feed.finished().failure?.isCancellation == true)
    }

    @Test func aSignalFinishesAFeedAfterTheElementInHand() async throws {
        let signal = PassthroughSubject<Void, Never>()
        let recorder = RecordingSubscriber<ServerSentEvent<String>, HTTPError>()
        client().serverSentEvents(for: HTTPRequest(.get, "/feed"))
            .handleEvents(receiveOutput: { _ in signal.send() })
            .prefix(untilOutputFrom: signal).subscribe(recorder)
        #expect(await recorder.wait(forValues: .max))
        guard case .finished = recorder.completion else {
            Issue.record("\(String(describing: recorder.completion))")
            return
        }
    }
}
