import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// The last record of a body, which may lack its end.
@Suite(.reservesDescriptors) struct RecordFeedTests {
    private struct Item: Decodable, Sendable { let n: Int }

    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func recordLines(_ options: FeedOptions) async throws -> FeedRecording<Data> {
        let cursor = Feed<Data>.Cursor.header("X-After") { String(decoding: $0, as: UTF8.self) }
        let recorder = FeedRecorder<Data>()
        server.client().lines(for: HTTPRequest(.get, "/"), cursor: cursor, options: options).events.subscribe(recorder)
        return try await recorder.finished()
    }

    @Test func aLineThatTheEndOfTheConnectionMayHaveCutOffIsReadAgain() async throws {
        let replies = [Reply(body: .untilClose("10\n20\n3")), Reply(body: .untilClose("30\n40\n")), .status(204)]
        server.on("GET", "/") { replies[$0.turn - 1] }
        let recording = try await recordLines(.immediate)
        #expect(recording.elements.map { String(decoding: $0, as: UTF8.self) } == ["10", "20", "30", "40"])
        #expect(
            recording.outline.filter { $0.hasPrefix("waiting") } == [
                "waiting: transfer.body-ended-early", "waiting: end",
            ])
        #expect(server.requests.map { $0.headers["X-After"] } == [nil, "20", "40"])
    }

    @Test func aLineThatMayBeCutOffFailsAFeedWithoutReconnections() async throws {
        server.on("GET", "/", Reply(body: .untilClose("10\n2")))
        let recording = try await recordLines(FeedOptions(reconnection: .never))
        #expect(recording.elements == [Data("10".utf8)])
        #expect(recording.failure?.name == "transfer.body-ended-early")
    }

    @Test(arguments: [Reply(body: .text("10\n20")), Reply(body: .chunked("10\n2", "0"))])
    func aLineBeforeAnEndThatTheServerHasSentIsComplete(reply: Reply) async throws {
        server.on("GET", "/", reply)
        let recording = try await recordLines(FeedOptions(reconnection: .never))
        #expect(recording.elements.map { String(decoding: $0, as: UTF8.self) } == ["10", "20"])
        #expect(recording.failure == nil)
    }

    @Test func aRecordThatCannotBeDecodedAtTheEndIsNotDroppedInSilence() async throws {
        server.on("GET", "/", .text("{\"n\":1}\n{\"n\":"))
        let recorder = FeedRecorder<Item>()
        server.client().jsonLines(
            of: Item.self, for: HTTPRequest(.get, "/"), options: FeedOptions(reconnection: .never)
        ).events.subscribe(recorder)
        let recording = try await recorder.finished()
        #expect(recording.elements.map(\.n) == [1])
        #expect(recording.failure?.name == "transfer.body-ended-early")
    }
}
