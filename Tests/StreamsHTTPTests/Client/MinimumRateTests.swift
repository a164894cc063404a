import StreamsHTTP
import StreamsLoopback
import Testing

/// Exchanges that are slower than a request allows.
@Suite(.reservesDescriptors) struct MinimumRateTests {
    private let server: LoopbackServer
    private let client: HTTPClient
    private let options = RequestOptions.with {
        $0.timeouts.minimumRate = .init(bytesPerSecond: 10_000, over: .milliseconds(200))
    }

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(socketBuffers: 16 * 1024))
        client = server.client(options: options)
    }

    @Test func failsABodyThatDrips() async throws {
        server.on(
            "GET", "/",
            .generated(1 << 20).failing(with: .drip(from: .inBody(after: 10), bytes: 1, every: .milliseconds(10))))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.failure?.reason.outline == "timeout.minimum-rate")
        #expect(!recording.body.isEmpty && GeneratedBytes.matches(recording.body, at: 0))
        try await server.waitForDisconnection()
    }

    /// The minimum is a fiftieth of the body's rate, so that only a pause of a busy machine of a second is too long.
    @Test func acceptsABodyAtTheRate() async throws {
        server.on(
            "GET", "/",
            .generated(60_000).failing(with: .drip(from: .inBody(after: 0), bytes: 1000, every: .milliseconds(20))))
        let request = HTTPRequest(.get, "/").settingOptions {
            $0.timeouts.minimumRate = .init(bytesPerSecond: 1000, over: .seconds(1))
        }
        let start = ContinuousClock.now
        let response = try await client.response(for: request)
        // The rate was compared after a second.
        #expect(ContinuousClock.now - start > .seconds(1))
        #expect(response.body.count == 60_000 && GeneratedBytes.matches(response.body, at: 0))
    }

    @Test func excludesTheWaitForTheResponse() async throws {
        let gate = Gate()
        server.on("GET", "/", .text("late").held(by: gate))
        server.on("GET", "/drip", .generated(1 << 20).failing(with: .drip(bytes: 1, every: .milliseconds(10))))
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")))
        try await server.wait { $0.requests.count == 1 }
        // Each of these fails after a period at least.
        for _ in 1...2 {
            let slow = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/drip")))
            #expect(slow.failure?.reason.outline == "timeout.minimum-rate")
        }
        gate.open()
        #expect(try await recorder.finished().body == Data("late".utf8))
    }

    @Test func excludesTimeWithoutDemand() async throws {
        server.on("GET", "/", .generated(4 << 30))
        let recorder = EventRecorder<Void>(demand: .max(3), keepingBody: false)
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        // Several periods without demand.
        try await server.waitForBackPressure(lasting: .milliseconds(700))
        try await recorder.expectToContinue()
    }
}
