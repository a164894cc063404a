import StreamsHTTP
import StreamsLoopback
import Testing

/// The measurements of an exchange by libcurl.
@Suite(.reservesDescriptors) struct ExchangeMetricsTests {
    private let server: LoopbackServer
    private let transport = CurlTransport()

    init() throws {
        server = try LoopbackServer()
    }

    private func record(
        _ path: String, method: HTTPMethod = .get, body: HTTPBody = .empty, measured: Bool = true
    ) async throws -> TransportRecorder.Recording {
        var request = TransportRequest(method: method, url: try #require(URL(string: server.url(path))), body: body)
        request.wantsMetrics = measured
        let recorder = TransportRecorder()
        let exchange = transport.start(request, delivering: recorder)
        defer { withExtendedLifetime(exchange) {} }
        let recording = try await recorder.ended()
        #expect(recording.problems == [])
        return recording
    }

    @Test func aNewConnectionIsTimedAndAnOldOneIsNot() async throws {
        server.on("GET", "/", .text("hello"))
        let first = try #require(try await record("/").metrics)
        #expect(first.isConnectionReused == false)
        let steps = try [first.nameLookup, first.connect, first.firstByte].map { try #require($0) } + [first.total]
        #expect(steps == steps.sorted() && steps[0] > .zero)
        #expect(first.tlsHandshake == nil)
        #expect(first.version == .http11)
        #expect(first.remoteAddress == "127.0.0.1:\(server.port)")
        let second = try #require(try await record("/").metrics)
        #expect(second.isConnectionReused == true)
        #expect(second.nameLookup == nil && second.connect == nil && second.firstByte != nil)
        #expect(server.acceptedConnections == 1)
    }

    @Test func waitsAreMeasured() async throws {
        let (gate, transport) = (Gate(), CurlTransport(configuration: .init(maxConnectionsPerHost: 1)))
        server.on("GET", "/held", .text("held").held(by: gate))
        server.on("GET", "/", .text("other"))
        func start(_ path: String) throws -> (exchange: any TransportExchange, recorder: TransportRecorder) {
            var request = TransportRequest(method: .get, url: try #require(URL(string: server.url(path))))
            request.wantsMetrics = true
            let recorder = TransportRecorder()
            return (transport.start(request, delivering: recorder), recorder)
        }
        let held = try start("/held")
        try await server.waitForRequests(1)
        let other = try start("/")
        let deadline = ContinuousClock.now + .seconds(240)
        while other.exchange.wait?.place != .connection, ContinuousClock.now < deadline { await Task.yield() }
        gate.open()
        let first = try #require(try await held.recorder.ended().metrics)
        let second = try #require(try await other.recorder.ended().metrics)
        #expect(first.waits.first?.place == .turnToOpen)
        #expect(first.waits.allSatisfy { $0.elapsed <= first.total })
        let wait = try #require(second.waits.first)
        #expect(second.waits.count == 1 && wait.place == .connection)
        #expect(wait.elapsed > .zero && wait.elapsed <= second.total)
    }

    @Test func bytesAreCountedOnTheWire() async throws {
        server.on("POST", "/", .generated(1000))
        let recording = try await record("/", method: .post, body: .data(Data(GeneratedBytes.bytes(0..<300))))
        #expect(recording.body == Data(GeneratedBytes.bytes(0..<1000)))
        let metrics = try #require(recording.metrics)
        let request = try #require(server.requests.first)
        #expect(request.body == GeneratedBytes.bytes(0..<300))
        let fields = request.headers.reduce(0) {
            $0 + "\($1.name): \($1.value)\r\n".utf8.count
        }
        #expect(metrics.bytesSent == Int64("POST / HTTP/1.1\r\n\r\n".utf8.count + fields + 300))
        let head = try #require(recording.head)
        let answered = head.headers.reduce(0) { $0 + "\($1.name): \($1.value)\r\n".utf8.count }
        #expect(metrics.bytesReceived == Int64("HTTP/1.1 200 OK\r\n\r\n".utf8.count + answered + 1000))
    }

    /// By HTTP/2, heads count as they are compressed, and with their frames.
    @Test func bytesOfFramesAreCounted() async throws {
        let informational = RawConnection.frame(.headers, flags: 0x4, stream: 1, [0x08, 3] + Array("103".utf8))
        let head = RawConnection.frame(.headers, flags: 0x4, stream: 1, [0x88, 0x00, 1] + Array("a".utf8) + [0])
        let server = try RawServer { connection in
            guard connection.acceptHTTP2(), connection.readStream() != nil else { return }
            connection.write(informational + head)
            connection.writeFrame(.data, flags: 0x1, stream: 1, Array("hello".utf8))
            while !connection.read(1).isEmpty {}
        }
        let monitor = MetricsMonitor()
        let client = server.client(options: .http2(), monitors: [monitor])
        #expect(try await client.response(for: HTTPRequest(.get, "/")).body == Data("hello".utf8))
        let metrics = try await monitor.metrics.wait(for: "the metrics") { !$0.isEmpty }
        #expect(metrics.map(\.bytesReceived) == [Int64(informational.count + head.count + 5)])
    }

    @Test func aFailureIsMeasuredToo() async throws {
        server.on("GET", "/", .generated(1000).failing(with: .close(at: .inBody(after: 500))))
        let recording = try await record("/")
        #expect(recording.failure?.reason.outline == "transfer.body-ended-early")
        #expect(try #require(recording.metrics).bytesReceived >= 500)
        #expect(recording.body == Data(GeneratedBytes.bytes(0..<500)))
    }

    @Test func noConnectionIsNoReuse() async throws {
        var request = TransportRequest(method: .get, url: try #require(URL(string: "http://127.0.0.1:1/")))
        request.wantsMetrics = true
        let recorder = TransportRecorder()
        _ = transport.start(request, delivering: recorder)
        let metrics = try #require(try await recorder.ended().metrics)
        #expect(metrics.firstByte == nil && metrics.version == nil && metrics.bytesReceived == 0)
        #expect(metrics.isConnectionReused != true)
    }

    @Test func nothingIsMeasuredForNobody() async throws {
        server.on("GET", "/", .text("hello"))
        #expect(try await record("/", measured: false).metrics == nil)
    }
}
