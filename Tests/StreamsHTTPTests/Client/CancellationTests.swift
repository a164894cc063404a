import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// Cancellation in every phase of an exchange: nothing is delivered afterwards, and the server sees the client leave.
@Suite(.serialized, .reservesDescriptors) struct CancellationTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(socketBuffers: 16 * 1024))
        client = server.client()
    }

    /// Makes a request that can only be answered when no event of a cancelled stream is left to come.
    private func expectSilence<Value>(
        of recorder: EventRecorder<Value>, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = recorder.recording.value.signalCount
        server.on("GET", "/fence", .text("fence"))
        _ = try await client.response(for: HTTPRequest(.get, server.url("/fence")))
        let after = recorder.recording.value
        // One event may have been on its way on another thread when the stream was cancelled.
        #expect(after.signalCount <= before + 1, sourceLocation: sourceLocation)
        #expect(!after.isComplete, sourceLocation: sourceLocation)
        recorder.verify(sourceLocation: sourceLocation)
    }

    @Test func beforeAnythingIsAskedFor() async throws {
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")), demand: .none)
        recorder.cancel()
        recorder.request(.unlimited)
        try await expectSilence(of: recorder)
        #expect(server.requests.count == 1)
        #expect(recorder.recording.value.signalCount == 0)
    }

    @Test func whileSubscribing() async throws {
        let recorder = EventRecorder<Void>(demand: .unlimited, isCancellingOnSubscription: true)
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        try await expectSilence(of: recorder)
        #expect(recorder.recording.value.signalCount == 0)
    }

    @Test func whileQueued() async throws {
        let gate = Gate()
        server.on("GET", "/held", .text("first").held(by: gate))
        server.on("GET", "/queued", .text("never"))
        let configuration = CurlTransport.Configuration(maxConnectionsPerHost: 1)
        let client = server.client(transport: CurlTransport(configuration: configuration))
        let holder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/held")))
        try await server.waitForRequests(1)
        let queued = EventRecorder(of: client.events(for: HTTPRequest(.get, "/queued")))
        try await queued.wait(for: "the attempt") { $0.eventCount == 1 }
        queued.cancel()
        gate.open()
        try await holder.finished()
        _ = try await client.response(for: HTTPRequest(.get, "/held"))
        #expect(server.requests.map(\.path) == ["/held", "/held"])
        #expect(queued.recording.value.outline == ["attempt 1"])
        queued.verify()
    }

    @Test func whileResolving() async throws {
        // Resolution of a name in this zone fails by itself (RFC 6761), sooner or later.
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "http://name.invalid/")))
        recorder.cancel()
        try await expectSilence(of: recorder)
    }

    @Test func whileConnecting() async throws {
        let listener = try FullListener()
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, listener.url)))
        try await recorder.wait(for: "the attempt") { $0.eventCount == 1 }
        recorder.cancel()
        try await expectSilence(of: recorder)
    }

    @Test func whileSending() async throws {
        let gate = Gate()
        server.on("POST", "/", intake: .after(gate), .text("never"))
        let recorder = EventRecorder<Void>()
        let body = HTTPBody.data(Data(GeneratedBytes.bytes(0..<16 << 20)))
        client.events(for: HTTPRequest(.post, "/", body: body)).subscribe(recorder)
        try await recorder.wait(for: "upload progress") { !$0.uploads.isEmpty }
        // The kernel may have taken bytes that the server has not seen, and this is to be its first request.
        try await server.waitForRequests(1)
        recorder.cancel()
        try await expectSilence(of: recorder)
        // A server that does not read does not notice.
        gate.open()
        let request = try await server.waitForDisconnection(of: 1)
        #expect(request.bodyCount < 16 << 20)
        let isExact = GeneratedBytes.matches(request.body, at: 0)
        #expect(isExact)
    }

    @Test func whileWaitingForTheHead() async throws {
        server.on("GET", "/", .text("never").held(by: Gate()))
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")))
        try await server.waitForRequests(1)
        recorder.cancel()
        try await server.waitForDisconnection(of: 1)
        try await expectSilence(of: recorder)
    }

    @Test func inTheBody() async throws {
        server.on("GET", "/", Reply(body: Reply.Body([.generated(1000), .hold(Gate()), .generated(1000)])))
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")))
        let part = try await recorder.wait(for: "the first part") { $0.body.count == 1000 }.body
        #expect(GeneratedBytes.matches(part, at: 0))
        recorder.cancel()
        try await server.waitForDisconnection(of: 1)
        try await expectSilence(of: recorder)
    }

    @Test func whileCollecting() async throws {
        server.on("GET", "/", Reply(body: Reply.Body([.generated(1000), .hold(Gate()), .generated(1000)])))
        let recorder = EventRecorder(of: client.events(for: Call<Data>(.get, "/")))
        try await recorder.wait(for: "the head") { $0.head != nil }
        recorder.cancel()
        try await server.waitForDisconnection(of: 1)
        try await expectSilence(of: recorder)
    }

    @Test func whilePaused() async throws {
        server.on("GET", "/", .generated(1 << 30))
        let recorder = EventRecorder<Void>(demand: .max(3), keepingBody: false)
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        try await server.waitForBackPressure()
        recorder.cancel()
        try await server.waitForDisconnection(of: 1)
        try await expectSilence(of: recorder)
    }

    @Test func whileWaitingForARetry() async throws {
        server.on("GET", "/", .status(503))
        let scheduler = TestScheduler()
        let options = RequestOptions.with { $0.retry = RetryPolicy(maxRetries: 5) }
        let client = server.client(options: options, scheduler: scheduler)
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")))
        try #require(await scheduler.wait(forPending: 1))
        recorder.cancel()
        // A timer that was being set meanwhile is taken off by the thread that has set it.
        try #require(await scheduler.wait(forPending: 0))
        scheduler.jump(by: .seconds(1000))
        try await expectSilence(of: recorder)
        #expect(server.requests.map(\.path) == ["/", "/fence"])
    }

    @Test(arguments: ["attempt", "head", "chunk"])
    func fromInsideAnEvent(name: String) async throws {
        server.on("GET", "/", .generated(1 << 20))
        let recorder = EventRecorder<Void> { recorder, event in
            if event.name == name { recorder.cancel() }
            return .none
        }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        try await recorder.wait(for: "the \(name)") { $0.isSilenced }
        let count = recorder.recording.value.signalCount
        try await expectSilence(of: recorder)
        #expect(recorder.recording.value.signalCount == count)
    }

    @Test func byDroppingTheToken() async throws {
        server.on("GET", "/", .text("never").held(by: Gate()))
        var token: AnyCancellable? = client.events(for: HTTPRequest(.get, "/")).sink(
            receiveCompletion: { _ in Issue.record("completed") }, receiveValue: { _ in })
        try await server.waitForRequests(1)
        #expect(token != nil)
        token = nil
        try await server.waitForDisconnection(of: 1)
    }

    @Test(arguments: ["value", "response", "data", "progress"])
    func byCancellingATask(way: String) async throws {
        server.on("GET", "/", .text("never").held(by: Gate()))
        let client = client
        let task = Task {
            try await failure { () throws(HTTPError) in
                switch way {
                case "value": _ = try await client.value(for: Call<Data>(.get, "/"))
                case "response": _ = try await client.response(for: Call<Data>(.get, "/"))
                case "progress": _ = try await client.value(for: Call<Data>(.get, "/"), onProgress: { _ in })
                default: _ = try await client.response(for: HTTPRequest(.get, "/"))
                }
            }
        }
        try await server.waitForRequests(1)
        task.cancel()
        #expect(try await task.value.isCancellation)
        try await server.waitForDisconnection(of: 1)
    }

    @Test func aTaskCancelledBeforehandSendsNothing() async throws {
        let client = client
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await failure { () throws(HTTPError) in try await client.response(for: HTTPRequest(.get, "/")) }
        }
        #expect(try await task.value.isCancellation)
        #expect(server.requests.isEmpty)
    }
}
