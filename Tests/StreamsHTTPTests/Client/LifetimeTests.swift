import StreamsHTTP
import StreamsLoopback
import Testing

/// Streams, clients and transports, which leave nothing behind.
@Suite(.serialized, .reservesDescriptors) struct LifetimeTests {
    /// Counts the instances of it that are alive.
    private final class Tracer: Sendable {
        private let living: Watched<Int>

        init(_ living: Watched<Int>) {
            self.living = living
            living.update { $0 += 1 }
        }

        deinit { living.update { $0 -= 1 } }
    }

    @Test func aDroppedTransportEndsItsThread() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .text("well"))
        let tracker = TransportTracker()
        do {
            let client = server.client(transport: tracker.transport())
            for _ in 1...5 { _ = try await client.response(for: HTTPRequest(.get, "/")) }
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
