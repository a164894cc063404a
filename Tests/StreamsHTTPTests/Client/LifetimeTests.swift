import StreamsHTTP
import StreamsLoopback
import Testing

/// What streams, clients and transports leave behind: nothing. Descriptors and threads are the whole process's, so
/// these tests run by themselves.
@Suite(.serialized) struct LifetimeTests {
    /// Counts the instances of it that are alive.
    private final class Tracer: Sendable {
        private let living: Watched<Int>

        init(_ living: Watched<Int>) {
            self.living = living
            living.update { $0 += 1 }
        }

        deinit { living.update { $0 -= 1 } }
    }

    /// Runs a thousand streams, each cancelled at a moment of its own.
    @Test func cancellationAtAnyMomentLeavesNothingBehind() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let server = try LoopbackServer()
        server.on("GET", "/", .generated(200_000, framing: .chunked))
        server.on("GET", "/slow", .generated(1000).failing(with: .drip(bytes: 100, every: .milliseconds(1))))
        server.on("GET", "/from", .redirect(to: "/"))
        server.on("GET", "/flaky", .status(503))
        let living = Watched(0)
        do {
            let client = server.client(
                options: .with {
                    $0.retry = RetryPolicy(
                        maxRetries: 3,
                        backoff: RetryPolicy.Backoff(initial: .milliseconds(2), maximum: .milliseconds(2)))
                })
            for _ in 0..<50 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        let path = ["/", "/slow", "/from", "/flaky"].randomElement(using: &random) ?? "/"
                        let patience = Int.random(in: 0...400, using: &random)
                        let isInside = Bool.random(using: &random)
                        let tracer = Tracer(living)
                        group.addTask {
                            try await Self.cancelled(
                                client.events(for: HTTPRequest(.get, path)), after: patience, inside: isInside, tracer,
                                "seed \(seed)")
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        try await living.wait(for: "the release of every subscriber, seed \(seed)") { $0 == 0 }
        try await server.wait { $0.openConnections == 0 }
    }

    private static func cancelled(
        _ publisher: RequestPublisher<Void>, after patience: Int, inside isInside: Bool, _ tracer: Tracer,
        _ place: Comment
    ) async throws {
        let count = Watched(0)
        let recorder = EventRecorder<Void>(keepingBody: false) { [tracer] recorder, _ in
            withExtendedLifetime(tracer) {}
            if isInside,
                count.update({
                    $0 += 1; return $0
                }) > patience / 50
            {
                recorder.cancel()
            }
            return .none
        }
        publisher.subscribe(recorder)
        for _ in 0..<patience { await Task.yield() }
        recorder.cancel()
        let before = recorder.recording.value.signalCount
        // Whatever was on its way has arrived when the count stands still; one event may have been.
        let after = try await recorder.recording.waitForStandstill(lasting: .milliseconds(5))
        #expect(after.signalCount <= before + 1, place)
        #expect(after.violations == [], place)
    }

    @Test func aDroppedTransportEndsItsThread() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .text("well"))
        let tracker = TransportTracker()
        do {
            let client = server.client(transport: tracker.transport())
            for _ in 1...5 { _ = try await client.data(for: HTTPRequest(.get, "/")) }
            #expect(tracker.isAlive)
        }
        // The connection was kept for the next request, and closes with the transport.
        try await server.wait { $0.openConnections == 0 }
        #expect(!tracker.isAlive)
    }

    @Test func aCompletedStreamLetsGoOfItsSubscriber() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .text("well"))
        let client = server.client()
        let living = Watched(0)
        do {
            let tracer = Tracer(living)
            let recorder = EventRecorder<Void> { [tracer] _, _ in
                withExtendedLifetime(tracer) {}
                return .none
            }
            client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
            try await recorder.finished()
        }
        try await living.wait(for: "the release of the subscriber") { $0 == 0 }
        #expect(server.requests.count == 1)
    }
}

/// Makes a transport, and knows whether it is still there.
private final class TransportTracker {
    private weak var made: CurlTransport?

    var isAlive: Bool { made != nil }

    func transport() -> CurlTransport {
        let transport = CurlTransport()
        made = transport
        return transport
    }
}
