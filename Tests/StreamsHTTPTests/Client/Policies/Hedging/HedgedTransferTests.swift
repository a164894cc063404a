import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// Hedged requests on real connections.
@Suite(.reservesDescriptors) struct HedgedTransferTests {
    private let server: LoopbackServer
    private let scheduler = TestScheduler()

    init() throws {
        server = try LoopbackServer()
    }

    /// Starts a request, and its hedge when the server has the first copy.
    private func start(_ recorder: EventRecorder<Void>) async throws {
        let client = server.client(
            options: .with { $0.hedging = HedgingPolicy(after: .seconds(1)) }, scheduler: scheduler)
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        try await server.waitForRequests(1)
        scheduler.advance(by: .seconds(1))
    }

    @Test func anotherConnectionAnswers() async throws {
        server.on("GET", "/") { $0.turn == 1 ? .text("late").held(by: Gate()) : .text("early") }
        let recorder = EventRecorder<Void>()
        try await start(recorder)
        #expect(try await recorder.finished().body == Data("early".utf8))
        try await server.waitForDisconnection(of: 1)
    }

    @Test func aLargeBodyComesFromOneCopy() async throws {
        server.on("GET", "/") { $0.turn == 1 ? .text("late").held(by: Gate()) : .generated(5_000_000) }
        let recorder = EventRecorder<Void>(demand: .max(1)) { _, _ in .max(1) }
        try await start(recorder)
        let recording = try await recorder.finished()
        #expect(recording.body.count == 5_000_000 && GeneratedBytes.matches(recording.body, at: 0))
    }

    @Test func aCancellationEndsBothConnections() async throws {
        server.on("GET", "/", .text("never").held(by: Gate()))
        let recorder = EventRecorder<Void>()
        try await start(recorder)
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
