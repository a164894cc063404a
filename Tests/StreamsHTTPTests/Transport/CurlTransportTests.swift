import StreamsHTTP
import StreamsLoopback
import Testing

/// The transport by itself, with nothing above it that allows more than its window.
@Suite(.serialized, .reservesDescriptors) struct CurlTransportTests {
    /// Gathers what an exchange brings.
    private final class Receiver: TransportReceiver {
        struct Gathered: Sendable {
            var hasHead = false
            var body = Data()
            /// Whether each chunk came with the count of all bytes to its end.
            var isCountedRight = true
            var failure: TransportFailure?
            var isFinished = false
        }

        let gathered = Watched(Gathered())

        func receive(_ event: TransportEvent) {
            gathered.update { gathered in
                switch event {
                case .connected, .sent, .trailers, .metrics: break
                case .head: gathered.hasHead = true
                case .chunk(let chunk, let received):
                    gathered.body += chunk
                    if received != gathered.body.count { gathered.isCountedRight = false }
                case .finished: gathered.isFinished = true
                case .failed(let failure): gathered.failure = failure
                }
            }
        }
    }

    private let server: LoopbackServer
    private let transport = CurlTransport()
    private let receiver = Receiver()

    init() throws {
        server = try LoopbackServer()
    }

    private func start(_ path: String, window: Int) throws -> any TransportExchange {
        let url = try #require(URL(string: server.url(path)))
        return transport.start(
            TransportRequest(method: .get, url: url, usesBackpressure: true, window: window), delivering: receiver)
    }

    /// The window is used up to the byte when more comes, with the fault behind it.
    @Test func aFaultBehindTheWindowComesAfterItsBytes() async throws {
        let gate = Gate()
        let pieces: [Reply.Body.Piece] = [
            .bytes(Array("a\r\n0123456789".utf8)), .hold(gate), .bytes(Array("\r\n3\r\nabc\r\nno size\r\n".utf8)),
        ]
        let reply = Reply(headers: ["Transfer-Encoding": "chunked"], body: Reply.Body(pieces, framing: .untilClose))
        server.on("GET", "/", reply)
        let exchange = try start("/", window: 10)
        try await receiver.gathered.wait(for: "the window's bytes") { $0.body.count == 10 }
        gate.open()
        exchange.allow(bytes: 1)
        let gathered = try await receiver.gathered.wait(for: "the failure") { $0.failure != nil }
        #expect(gathered.body == Data("0123456789abc".utf8))
        #expect(gathered.failure?.reason.outline == "transfer.protocol-error")
        exchange.abort()
    }

    @Test func whatIsGrantedComes() async throws {
        server.on("GET", "/", .generated(1000))
        let exchange = try start("/", window: 1)
        try await receiver.gathered.wait(for: "the head") { $0.hasHead }
        exchange.allow(bytes: 1000)
        let gathered = try await receiver.gathered.wait(for: "the end") { $0.isFinished }
        #expect(gathered.body.count == 1000 && GeneratedBytes.matches(gathered.body, at: 0))
    }

    @Test func eachChunkSaysHowFarItReaches() async throws {
        server.on("GET", "/", .generated(16 << 20))
        let exchange = try start("/", window: 4 << 20)
        exchange.allow(bytes: 1 << 30)
        let gathered = try await receiver.gathered.wait(for: "the end") { $0.isFinished }
        #expect(gathered.isCountedRight)
        #expect(gathered.body.count == 16 << 20 && GeneratedBytes.matches(gathered.body, at: 0))
    }

    @Test func nothingComesAfterAnAbort() async throws {
        server.on("GET", "/", .generated(1 << 30))
        let exchange = try start("/", window: 1000)
        try await receiver.gathered.wait(for: "a chunk") { !$0.body.isEmpty }
        exchange.abort()
        try await server.waitForDisconnection()
        let gathered = receiver.gathered.value
        #expect(gathered.failure == nil && !gathered.isFinished)
        #expect(GeneratedBytes.matches(gathered.body, at: 0))
    }
}
