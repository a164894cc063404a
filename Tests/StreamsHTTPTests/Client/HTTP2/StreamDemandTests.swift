import StreamsHTTP
import StreamsLoopback
import Testing

/// The windows of streams, which follow the demand of their subscribers.
@Suite(.reservesDescriptors) struct StreamDemandTests {
    /// The window of each stream at first.
    private static let initialWindow = 64 * 1024
    /// The number of bytes that are received without demand at most.
    private static let maxUnrequested = 1 << 20

    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        client = server.http2Client()
    }

    /// Waits until no more of a response can be sent.
    private func waitForStandstill(of number: Int = 1) async throws -> RecordedRequest {
        try await server.waitForBackPressure(on: number, lasting: .milliseconds(500))
    }

    @Test func aStreamWithoutDemandHoldsNoOtherUp() async throws {
        let size = 8 << 20
        server.on("GET", "/large", .generated(size))
        server.serveNumberedBodies()
        let recorder = client.subscribe(HTTPRequest(.get, "/large"), demand: .max(2))
        let blocked = try await waitForStandstill()
        #expect(blocked.bytesWritten <= Self.maxUnrequested)
        #expect(blocked.window == blocked.bytesWritten)
        for start in stride(from: 0, to: 100, by: 20) { try await client.expectNumberedBodies(start..<start + 20) }
        let later = try #require(server.requests.first)
        #expect(later.window == blocked.window && later.bytesWritten == blocked.bytesWritten)
        recorder.request(.unlimited)
        let body = try await recorder.finished().body
        #expect(body.count == size && GeneratedBytes.matches(body, at: 0))
        #expect(server.acceptedConnections == 1 && server.journal.rejections == [])
    }

    @Test func aWindowGrowsWithDemand() async throws {
        let size = 4 << 20
        server.on("GET", "/", .generated(size))
        let check = Watched(GeneratedBodyCheck())
        let recorder = EventRecorder<Void>(demand: .max(1), keepingBody: false) { _, event in
            if case .chunk(let chunk) = event { check.update { $0.accept(chunk) } }
            return .max(1)
        }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        try await recorder.finished()
        #expect(check.value.isExact && check.value.count == size)
        let window = try #require(server.requests.first?.window)
        #expect(window >= size && window <= size + Self.maxUnrequested)
    }

    /// The connection's window is opened at first, and not by the responses.
    @Test func smallResponsesCostNoWindowUpdates() async throws {
        let sizes = [0, 1, 1000, 16_000]
        server.otherwise { .generated(Int($0.path.dropFirst()) ?? 0) }
        try await client.expectGeneratedBodies(sizes)
        let increments = try #require(server.http2Connections.first?.windowIncrements)
        for _ in 0..<20 { try await client.expectGeneratedBodies(sizes) }
        #expect(server.requests.allSatisfy { $0.window == Self.initialWindow })
        #expect(server.http2Connections.map(\.windowIncrements) == [increments])
        // Nothing else is sent for them, either.
        let frames = server.http2Connections.flatMap(\.frames)
        #expect(frames.filter { if case .settings = $0 { false } else { $0 != .settingsAcknowledgement } } == [])
    }

    @Test func sizesAroundTheWindowAreExact() async throws {
        let window = Self.initialWindow
        server.otherwise { .generated(Int($0.path.dropFirst()) ?? 0) }
        let sizes = [window - 1, window, window + 1, 2 * window, 1 << 20, (1 << 20) + 1, 3 << 20]
        try await client.expectGeneratedBodies(sizes)
        #expect(server.acceptedConnections == 1 && server.journal.rejections == [])
    }

    @Test func largeBodiesShareAConnection() async throws {
        let size = 10 << 20
        server.otherwise { request in
            let first = UInt8(request.path.dropFirst()) ?? 0
            return Reply(body: .init([.bytes([first]), .generated(size - 1)]))
        }
        let recordings = try await client.recordAtOnce((0..<8).map { "/\($0)" })
        for (number, recording) in recordings.enumerated() {
            let isExact =
                recording.body.count == size && recording.body.first.map { Int($0) } == number
                && GeneratedBytes.matches(recording.body.dropFirst(), at: 1)
            #expect(isExact, "body \(number)")
        }
        #expect(server.acceptedConnections == 1 && server.journal.rejections == [])
    }

    @Test func collectedBodiesAreExact() async throws {
        let size = 5 << 20
        server.on("GET", "/", .generated(size))
        async let first = client.response(for: HTTPRequest(.get, "/"))
        async let second = client.response(for: HTTPRequest(.get, "/"))
        for response in try await [first, second] {
            #expect(response.body.count == size && GeneratedBytes.matches(response.body, at: 0))
        }
    }

    // MARK: Content codings

    /// Incompressible content, so that the encoded one exceeds the window.
    @Test func encodedContentIsHeldBack() async throws {
        let content = GeneratedBytes.bytes(0..<4 << 20)
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "deflate"], body: .bytes(Deflate.stored(content))))
        server.serveNumberedBodies()
        let recorder = client.subscribe(HTTPRequest(.get, "/"), demand: .max(2))
        let blocked = try await waitForStandstill()
        #expect(blocked.bytesWritten <= Self.maxUnrequested + 2 * Self.initialWindow)
        try await client.expectNumberedBodies(0..<10)
        recorder.request(.unlimited)
        let body = try await recorder.finished().body
        #expect(body.count == content.count && GeneratedBytes.matches(body, at: 0))
        #expect(server.acceptedConnections == 1)
    }

    @Test func contentThatInflatesIsHeldBack() async throws {
        let megabytes = 64
        let encoded = Deflate.zeros(megabytes: megabytes)
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(encoded)))
        server.serveNumberedBodies()
        let check = Watched((count: 0, isExact: true))
        let recorder = EventRecorder<Void>(demand: .max(2), keepingBody: false) { _, event in
            if case .chunk(let chunk) = event {
                check.update { $0 = ($0.count + chunk.count, $0.isExact && chunk == Data(count: chunk.count)) }
            }
            return .none
        }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        try await recorder.wait(for: "the head") { $0.head != nil }
        try await client.expectNumberedBodies(0..<10)
        #expect(check.value.count == 0)
        recorder.request(.unlimited)
        try await recorder.finished()
        #expect(check.value.isExact && check.value.count == megabytes << 20)
        #expect(server.acceptedConnections == 1)
    }

    @Test(arguments: EncodedText.supported) func decodesAllCodings(coding: EncodedText) async throws {
        server.on("GET", "/", Reply(headers: ["Content-Encoding": coding.name], body: .bytes(coding.bytes)))
        let recordings = try await client.recordAtOnce(["/", "/", "/"])
        #expect(recordings.map(\.body) == [EncodedText.text, EncodedText.text, EncodedText.text])
    }

    @Test func encodedContentThatIsCutFails() async throws {
        let bytes = EncodedText.gzip.bytes.dropLast(5)
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(bytes)))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.failure?.reason.outline == "transfer.body-ended-early")
        #expect(EncodedText.text.starts(with: recording.body))
    }

    // MARK: The end of the interest

    @Test(arguments: [Subscribers.Demand.max(2), .unlimited])
    func aCancelledStreamIsReset(demand: Subscribers.Demand) async throws {
        server.on("GET", "/endless", .generated(4 << 30))
        server.serveNumberedBodies()
        let recorder = EventRecorder<Void>(demand: demand, keepingBody: false)
        client.events(for: HTTPRequest(.get, "/endless")).subscribe(recorder)
        try await recorder.wait(for: "the head") { $0.head != nil }
        recorder.cancel()
        #expect(try await server.waitForReset() == .cancel)
        try await client.expectNumberedBodies(0..<10)
        #expect(server.acceptedConnections == 1 && server.journal.rejections == [])
        recorder.verify()
    }

    @Test func aRequestThatIsCancelledBeforeTheHeadIsReset() async throws {
        server.on("GET", "/held", Reply.text("late").held(by: Gate()))
        server.serveNumberedBodies()
        // A connection that loses its only stream before its settings have come is closed.
        try await client.expectNumberedBodies(0..<1)
        let recorder = client.subscribe(HTTPRequest(.get, "/held"))
        try await server.waitForRequests(2)
        recorder.cancel()
        #expect(try await server.waitForReset(of: 3) == .cancel)
        try await client.expectNumberedBodies(0..<3)
        #expect(server.acceptedConnections == 1)
    }

    @Test func aBodyThatIsTooLargeIsReset() async throws {
        server.on("GET", "/", .generated(1 << 30))
        server.serveNumberedBodies()
        let request = HTTPRequest(.get, "/").settingOptions { $0.maxBodySize = 100_000 }
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(recording.failure?.reason.outline == "transfer.body-too-large(100000)")
        #expect(recording.body.count <= 100_000 && GeneratedBytes.matches(recording.body, at: 0))
        #expect(try await server.waitForReset() == .cancel)
        try await client.expectNumberedBodies(0..<3)
        #expect(server.acceptedConnections == 1)
    }

    /// Hundreds of streams that end early leave nothing that the windows of the connection would miss.
    @Test func manyCancelledStreamsLeaveTheConnectionUsable() async throws {
        server.on("GET", "/large", .generated(1 << 20))
        server.serveNumberedBodies()
        for _ in 0..<10 {
            let recorders = (0..<20).map { _ in client.subscribe(HTTPRequest(.get, "/large"), demand: .max(3)) }
            for recorder in recorders {
                try await recorder.wait(for: "the head") { $0.head != nil }
                recorder.cancel()
            }
        }
        try await client.expectNumberedBodies(0..<20)
        #expect(server.acceptedConnections == 1 && server.journal.rejections == [])
    }
}

extension HTTPClient {
    /// Expects bodies of these sizes from a server that generates as much as the path says.
    fileprivate func expectGeneratedBodies(
        _ sizes: [Int], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for (size, recording) in zip(sizes, try await recordAtOnce(sizes.map { "/\($0)" })) {
            let isExact = recording.body.count == size && GeneratedBytes.matches(recording.body, at: 0)
            #expect(isExact && recording.failure == nil, "\(size) bytes", sourceLocation: sourceLocation)
        }
    }
}
