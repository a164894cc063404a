import StreamsHTTP
import StreamsLoopback
import Testing

/// Hedged requests on real connections.
@Suite(.reservesDescriptors) struct HedgedTransferTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func client(after delay: Duration = .milliseconds(1)) -> HTTPClient {
        server.client(options: .with { $0.hedging = HedgingPolicy(after: delay) })
    }

    @Test func anotherConnectionAnswers() async throws {
        server.on("GET", "/") { $0.turn == 1 ? .text("late").held(by: Gate()) : .text("early") }
        let response = try await client().response(for: HTTPRequest(.get, "/"))
        #expect(String(decoding: response.body, as: UTF8.self) == "early")
        try await server.waitForDisconnection(of: 1)
    }

    @Test func aLargeBodyComesFromOneCopy() async throws {
        server.on("GET", "/") { $0.turn == 1 ? .text("late").held(by: Gate()) : .generated(5_000_000) }
        let recorder = EventRecorder<Void>(demand: .max(1)) { _, _ in .max(1) }
        client().events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        let recording = try await recorder.finished()
        #expect(recording.body.count == 5_000_000 && GeneratedBytes.matches(recording.body, at: 0))
    }

    @Test func aCancellationEndsBothConnections() async throws {
        server.on("GET", "/", .text("never").held(by: Gate()))
        let recorder = EventRecorder<Void>()
        client().events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        try await server.waitForRequests(2)
        recorder.cancel()
        for number in 1...2 { try await server.waitForDisconnection(of: number) }
    }

    @Test func aServerThatIsDownFailsOnce() async throws {
        let client = HTTPClient(
            configuration: .init(options: .with { $0.hedging = HedgingPolicy(after: .zero, maxHedges: 3) }))
        #expect(await client.outcome(of: "http://127.0.0.1:1/") == "connection.refused")
    }
}
