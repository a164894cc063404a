import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

#if os(Linux)
/// A thousand streams, cancelled at random moments, of which nothing remains. In a process of its own, so that all
/// descriptors and threads are theirs.
@Suite(.serialized, .reservesDescriptors) struct CancellationCensusTests {
    @Test func cancellationAtAnyMomentLeavesNothingBehind() async {
        let seed = UInt64.random(in: 0...UInt64.max)
        await #expect(processExitsWith: .success, "seed \(seed)") { [seed = seed as UInt64] in
            var random = SeededGenerator(seed: seed)
            let server = try CancelledStreams.server()
            let lifetimes = LifetimeTracker()
            // What the process keeps for good, such as the threads of its pools, is there after the first streams.
            try await CancelledStreams.run(20, on: server, lifetimes, &random)
            try await server.wait { $0.openConnections == 0 }
            let start = try await ProcessCensus.first()

            var streams: [CancelledStream] = []
            // Twenty transports, each with a thread and connections.
            for _ in 0..<20 { streams += try await CancelledStreams.run(50, on: server, lifetimes, &random) }
            try await server.wait { $0.openConnections == 0 }
            let end = try await ProcessCensus.afterReturn(to: start)
            #expect(end.descriptors <= start.descriptors, "\(end), at first \(start)")
            #expect(end.threads <= start.threads, "\(end), at first \(start)")

            // With the transports' threads gone, there is nobody left to deliver anything.
            #expect(streams.count == 1000)
            for stream in streams { stream.verify() }
            streams = []
            #expect(lifetimes.alive == [])
        }
    }
}

/// A stream that is cancelled after so many turns of the scheduler or from inside one of its events.
private final class CancelledStream: Sendable {
    struct Plan {
        let path: String
        let turns: Int
        let isInside: Bool

        init(_ random: inout SeededGenerator) {
            path = CancelledStreams.paths.randomElement(using: &random) ?? "/"
            turns = Int.random(in: 0...400, using: &random)
            isInside = Bool.random(using: &random)
        }
    }

    private let recorder: EventRecorder<Void>
    private let body: Watched<GeneratedBodyCheck>
    private let signalsAtCancellation = Watched(0)

    init(_ plan: Plan, _ lifetimes: LifetimeTracker) {
        let token = lifetimes.token("a closure")
        let (isInside, last) = (plan.isInside, plan.turns / 50)
        let seen = Watched(0)
        let body = Watched(GeneratedBodyCheck())
        self.body = body
        recorder = EventRecorder(keepingBody: false) { recorder, event in
            withExtendedLifetime(token) {}
            if case .chunk(let chunk) = event { body.update { $0.accept(chunk) } }
            let count = seen.update { seen in
                seen += 1
                return seen
            }
            if isInside, count > last { recorder.cancel() }
            return .none
        }
        lifetimes.watch(recorder, as: "a subscriber")
    }

    func run(_ plan: Plan, on client: HTTPClient) async {
        client.events(for: HTTPRequest(.get, plan.path)).subscribe(recorder)
        for _ in 0..<plan.turns { await Task.yield() }
        recorder.cancel()
        signalsAtCancellation.update { $0 = recorder.recording.value.signalCount }
    }

    /// Expects that nothing came late, and that the bytes are those of the body. One event may have been on its way on
    /// another thread.
    func verify() {
        let recording = recorder.recording.value
        let late = recording.signalCount - signalsAtCancellation.value
        #expect(late <= 1)
        #expect(recording.violations == [])
        #expect(body.value.isExact)
    }
}

private enum CancelledStreams {
    static let paths = ["/", "/slow", "/from", "/flaky", "/held"]

    static func server() throws -> LoopbackServer {
        let server = try LoopbackServer()
        server.on("GET", "/", .generated(200_000, framing: .chunked))
        server.on("GET", "/slow", .generated(1000).failing(with: .drip(bytes: 100, every: .milliseconds(1))))
        server.on("GET", "/from", .redirect(to: "/"))
        server.on("GET", "/flaky", .status(503))
        server.on("GET", "/held", .text("never").held(by: Gate()))
        return server
    }

    /// Runs streams side by side on a transport of their own.
    @discardableResult
    static func run(
        _ count: Int, on server: LoopbackServer, _ lifetimes: LifetimeTracker, _ random: inout SeededGenerator
    ) async throws -> [CancelledStream] {
        let backoff = Backoff(initial: .milliseconds(2), maximum: .milliseconds(2))
        let options = RequestOptions.with { $0.retry = RetryPolicy(maxRetries: 3, backoff: backoff) }
        let transport = CurlTransport()
        lifetimes.watch(transport, as: "a transport")
        let client = server.client(options: options, transport: transport)
        let plans = (0..<count).map { _ in CancelledStream.Plan(&random) }
        return await withTaskGroup(of: CancelledStream.self) { group in
            for plan in plans {
                group.addTask {
                    let stream = CancelledStream(plan, lifetimes)
                    await stream.run(plan, on: client)
                    return stream
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
#endif
