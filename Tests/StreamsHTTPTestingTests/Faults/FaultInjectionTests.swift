import StreamsHTTP
import StreamsHTTPTesting
import StreamsTesting
import Testing

@Suite struct FaultInjectionTests {
    private let mock = MockTransport()

    init() {
        mock.on(nil, "/**", MockResponse(body: Data(0..<100)).split(into: 30))
    }

    private func play(_ transport: any HTTPTransport, path: String = "/") async throws -> TransportRecorder.Recording {
        let url = try #require(URL(string: "http://host\(path)"))
        let recorder = TransportRecorder()
        let exchange = transport.start(TransportRequest(method: .get, url: url), delivering: recorder)
        defer { withExtendedLifetime(exchange) {} }
        let recording = try await recorder.ended()
        #expect(recording.problems == [])
        return recording
    }

    @Test func conditionsSelectExchanges() async throws {
        let transport = FaultInjectingTransport(
            wrapping: mock, InjectedFault(.failure(.connection(.refused)), .numbers([1, 4])),
            InjectedFault(.response(.serviceUnavailable, ["Retry-After": "1"]), .every(2)),
            InjectedFault(.failure(.transfer(.emptyReply)), .always) { $0.url.path() == "/never" })
        var outcomes: [String] = []
        for _ in 0..<6 {
            let recording = try await play(transport)
            outcomes.append(recording.failure?.reason.outline ?? "\(recording.head?.status.code ?? 0)")
        }
        #expect(outcomes == ["connection.refused", "503", "200", "connection.refused", "200", "503"])
        #expect(try await play(transport, path: "/never").failure?.reason.outline == "transfer.empty-reply")
        #expect(mock.requests.count == 2)
    }

    @Test func sameSeedInjectsSameFaults() async throws {
        func outcomes(seed: UInt64, probability: Double = 0.3) async throws -> [Bool] {
            let transport = FaultInjectingTransport(
                wrapping: mock, seed: seed, InjectedFault(.failure(.transfer(.other)), .probability(probability)))
            var failed: [Bool] = []
            for _ in 0..<100 { failed.append(try await play(transport).failure != nil) }
            return failed
        }
        let first = try await outcomes(seed: 1)
        #expect(try await outcomes(seed: 1) == first)
        #expect(try await outcomes(seed: 2) != first)
        #expect((15...45).contains(first.count { $0 }))
        #expect(try await outcomes(seed: 1, probability: 0) == Array(repeating: false, count: 100))
        #expect(try await outcomes(seed: 1, probability: 1) == Array(repeating: true, count: 100))
    }

    @Test(arguments: [0, 1, 30, 45, 100, 1000])
    func cutsBodies(after count: Int) async throws {
        let transport = FaultInjectingTransport(wrapping: mock, InjectedFault(.cut(after: count)))
        let recording = try await play(transport)
        #expect(recording.head?.status == .ok)
        #expect(recording.body == Data(0..<100).prefix(count))
        #expect(recording.failure?.reason.outline == "transfer.body-ended-early")
    }

    @Test func delaysOnScheduler() throws {
        let scheduler = TestScheduler()
        let mock = MockTransport(scheduler: scheduler)
        mock.on(.get, "/", MockResponse(body: Data(0..<100)).split(into: 30))
        let transport = FaultInjectingTransport(
            wrapping: mock, scheduler: scheduler, InjectedFault(.delay(.seconds(3))))
        var request = TransportRequest(method: .get, url: try #require(URL(string: "http://host/")))
        request.window = 1
        let recorder = TransportRecorder()
        let exchange = transport.start(request, delivering: recorder)
        let other = TransportRecorder()
        transport.start(request, delivering: other).abort()
        // Bytes that are allowed before the start count too.
        exchange.allow(bytes: 1000)
        scheduler.advance(by: .milliseconds(2999))
        #expect(mock.requests.isEmpty)
        scheduler.advance(by: .milliseconds(1))
        #expect(mock.requests.count == 1 && recorder.recording.value.body == Data(0..<100))
        #expect(other.recording.value.events.isEmpty)
    }
}
