import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// The end of all requests of a client: at once, or in good order.
@Suite(.serialized, .reservesDescriptors) struct ShutdownTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    // MARK: The cache

    /// Updates of the cache belong to no request of the program.
    @Test(arguments: [false, true]) func requestsInTheBackgroundAreCancelled(isShutDown: Bool) async throws {
        let gate = Gate()
        server.on("GET", "/a") { request in
            var reply = Reply.text("stored")
            reply.headers = ["Cache-Control": "max-age=0, stale-while-revalidate=3600", "ETag": "\"1\""]
            return request.headers["If-None-Match"] == nil ? reply : reply.held(by: gate)
        }
        let client = server.client().configuring { $0.cache = HTTPCache(maxMemory: 1 << 20) }
        for _ in 1...2 {
            let response = try await client.response(for: HTTPRequest(.get, "/a"))
            #expect(String(decoding: response.body, as: UTF8.self) == "stored")
        }
        try await server.waitForRequests(2)
        if isShutDown { await client.shutdown() } else { client.cancelAll() }
        try await server.waitForDisconnection(of: 2)
    }

    // MARK: cancelAll

    @Test func everyRequestUnderWayFails() async throws {
        let gate = Gate()
        server.on("GET", "/head", .text("never").held(by: gate))
        server.on("GET", "/body", Reply(body: Reply.Body([.generated(1000), .hold(gate), .generated(1000)])))
        let client = server.client()
        let waiting = EventRecorder(of: client.events(for: HTTPRequest(.get, "/head")))
        let reading = EventRecorder(of: client.events(for: HTTPRequest(.get, "/body")))
        let task = Task {
            try await failure { () throws(HTTPError) in try await client.response(for: HTTPRequest(.get, "/head")) }
        }
        try await reading.wait(for: "the first part") { $0.body.count == 1000 }
        try await server.waitForRequests(3)
        client.cancelAll()
        for recorder in [waiting, reading] {
            let recording = try await recorder.finished()
            #expect(recording.failure?.isCancellation == true)
        }
        let part = reading.recording.value.body
        #expect(part.count == 1000 && GeneratedBytes.matches(part, at: 0))
        #expect(try await task.value.isCancellation)
        for number in 1...3 { try await server.waitForDisconnection(of: number) }
    }

    @Test func laterRequestsAreNotAffected() async throws {
        server.on("GET", "/", .text("well"))
        let client = server.client()
        client.cancelAll()
        #expect(try await client.response(for: HTTPRequest(.get, "/")).status == .ok)
    }

    @Test func whatHasNotBeenAskedForIsNotDelivered() async throws {
        server.on("GET", "/", .text("well"))
        let client = server.client()
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")), demand: .max(1))
        try await server.wait { $0.requests.first?.state == .replied }
        try await recorder.wait(for: "the attempt") { $0.eventCount == 1 }
        client.cancelAll()
        let recording = try await recorder.finished()
        #expect(recording.failure?.isCancellation == true)
        #expect(recording.outline == ["attempt 1"])
        recorder.request(.unlimited)
        recorder.verify()
    }

    @Test func thoseThatWaitForTheirTurnFailAndAreNeverSent() async throws {
        server.on("GET", "/held", .text("never").held(by: Gate()))
        server.on("GET", "/queued", .text("never"))
        var configuration = HTTPClient.Configuration(baseURL: URL(string: server.url("")))
        configuration.limits.maxConcurrentRequests = 1
        let client = HTTPClient(configuration: configuration)
        let recorders = ["/held", "/queued", "/queued"].map { path in
            EventRecorder(of: client.events(for: HTTPRequest(.get, path)))
        }
        try await server.waitForRequests(1)
        client.cancelAll()
        for recorder in recorders {
            let recording = try await recorder.finished()
            #expect(recording.failure?.isCancellation == true)
        }
        server.on("GET", "/fence", .text("fence"))
        _ = try await client.response(for: HTTPRequest(.get, "/fence"))
        #expect(server.requests.map(\.path) == ["/held", "/fence"])
    }

    @Test func thoseThatWaitForARetryFail() async throws {
        server.on("GET", "/", .status(503))
        let scheduler = TestScheduler()
        let client = server.client(options: .with { $0.retry = RetryPolicy(maxRetries: 5) }, scheduler: scheduler)
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")))
        try #require(await scheduler.wait(forPending: 1))
        client.cancelAll()
        let recording = try await recorder.finished()
        #expect(recording.failure?.isCancellation == true)
        #expect(scheduler.pendingCount == 0)
    }

    @Test func thoseThatWaitForAnInterceptorFail() async throws {
        let asked = Watched(0)
        let interceptor = Hook(onAdapt: { request, _ in
            asked.update { $0 += 1 }
            // Until the task is cancelled.
            try await asked.wait(for: "nothing") { $0 < 0 || Task.isCancelled }
            return request
        })
        let configuration = HTTPClient.Configuration(
            baseURL: URL(string: server.url("")), interceptors: [interceptor])
        let client = HTTPClient(configuration: configuration)
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")))
        try await asked.wait(for: "the interceptor") { $0 == 1 }
        client.cancelAll()
        let recording = try await recorder.finished()
        #expect(recording.failure?.isCancellation == true)
        #expect(server.requests.isEmpty)
        asked.update { $0 = -1 }
    }

    @Test func fromInsideAnEventNothingFollowsButTheFailure() async throws {
        server.on("GET", "/", .generated(1 << 20))
        let client = server.client()
        let seen = Watched<[String]>([])
        let recorder = EventRecorder<Void> { _, event in
            seen.update { $0.append(event.name) }
            if case .head = event { client.cancelAll() }
            return .none
        }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        let recording = try await recorder.finished()
        #expect(recording.failure?.isCancellation == true)
        #expect(seen.value.last == "head")
    }

    @Test func completesAResponseThatHasBeenDelivered() async throws {
        server.on("GET", "/", .text("well"))
        let client = server.client(options: .with { $0.sharesInFlight = true })
        let recorder = EventRecorder<Void> { _, event in
            if case .response = event { client.cancelAll() }
            return .none
        }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        #expect(try await recorder.finished().failure == nil)
        let shared = EventRecorder<Data> { _, event in
            if case .response = event { client.cancelAll() }
            return .none
        }
        client.events(for: Call<Data>(.get, "/")).subscribe(shared)
        #expect(try await shared.finished().failure == nil)
    }

    @Test(.reservesDescriptors(150)) func manyAtOnceFromManyThreads() async throws {
        server.on("GET", "/", .text("well"))
        let configuration = CurlTransport.Configuration(maxConnectionsPerHost: 64)
        let client = server.client(transport: CurlTransport(configuration: configuration))
        let outcomes = await withTaskGroup(of: Bool.self, returning: [Bool].self) { group in
            for number in 0..<400 {
                group.addTask {
                    if number % 40 == 39 { client.cancelAll() }
                    do throws(HTTPError) {
                        return try await client.response(for: HTTPRequest(.get, "/")).status == .ok
                    } catch {
                        return error.isCancellation
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 400 && !outcomes.contains(false))
        await client.shutdown()
    }

    // MARK: shutdown

    @Test func whatIsUnderWayMayFinishAndWhatIsNewIsRefused() async throws {
        let gate = Gate()
        server.on("GET", "/", .text("well").held(by: gate))
        let client = server.client()
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")))
        try await server.waitForRequests(1)
        let isOver = Watched(false)
        async let end: Void = {
            await client.shutdown(deadline: .seconds(600))
            isOver.update { $0 = true }
        }()
        // The refusal says that the shutdown has begun.
        var refusal: HTTPError?
        while refusal == nil {
            let probe = EventRecorder(of: client.events(for: HTTPRequest(.get, "/probe")))
            let recording = try await probe.finished()
            refusal = recording.failure.flatMap {
                if case .invalidRequest(.clientShutDown) = $0.reason { $0 } else { nil }
            }
        }
        #expect(refusal?.description.contains("shut down") == true)
        #expect(refusal?.name == "invalid-request.client-shut-down")
        #expect(!isOver.value)
        gate.open()
        await end
        #expect(recorder.recording.value.response?.status == .ok)
        #expect(recorder.recording.value.isComplete)
    }

    @Test func theDeadlineCancelsTheRest() async throws {
        server.on("GET", "/", .text("never").held(by: Gate()))
        let scheduler = TestScheduler()
        let client = server.client(scheduler: scheduler)
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")))
        try await server.waitForRequests(1)
        async let end: Void = client.shutdown(deadline: .seconds(5))
        try #require(await scheduler.wait(forPending: 1))
        scheduler.jump(by: .seconds(4))
        #expect(!recorder.recording.value.isComplete)
        scheduler.jump(by: .seconds(1))
        await end
        #expect(recorder.recording.value.failure?.isCancellation == true)
        try await server.waitForDisconnection(of: 1)
    }

    @Test func theDeadlineLeavesADeliveredResponse() async throws {
        let gate = Gate()
        server.on("GET", "/", .text("well").held(by: gate))
        let scheduler = TestScheduler()
        let client = server.client(scheduler: scheduler)
        let recorder = EventRecorder<Void> { _, event in
            if case .response = event { scheduler.jump(by: .seconds(5)) }
            return .none
        }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        try await server.waitForRequests(1)
        async let end: Void = client.shutdown(deadline: .seconds(5))
        try #require(await scheduler.wait(forPending: 1))
        gate.open()
        await end
        #expect(try await recorder.finished().failure == nil)
    }

    @Test func anIdleClientIsShutDownAtOnce() async throws {
        let scheduler = TestScheduler()
        let client = server.client(scheduler: scheduler)
        await client.shutdown(deadline: .seconds(5))
        await client.shutdown()
        #expect(scheduler.pendingCount == 0)
        let error = try await failure { () throws(HTTPError) in try await client.response(for: HTTPRequest(.get, "/")) }
        #expect(error.reason.outline == "invalid-request.client-shut-down")
        #expect(server.requests.isEmpty)
    }

    @Test func cancellingTheTaskThatWaitsCancelsTheRest() async throws {
        server.on("GET", "/", .text("never").held(by: Gate()))
        let client = server.client()
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")))
        try await server.waitForRequests(1)
        let task = Task { await client.shutdown() }
        task.cancel()
        await task.value
        #expect(recorder.recording.value.failure?.isCancellation == true)
    }

    @Test func thoseThatWaitForTheirTurnStillGetIt() async throws {
        let gate = Gate()
        server.on("GET", "/held", .text("first").held(by: gate))
        server.on("GET", "/queued", .text("second"))
        var configuration = HTTPClient.Configuration(baseURL: URL(string: server.url("")))
        configuration.limits.maxConcurrentRequests = 1
        let client = HTTPClient(configuration: configuration)
        let recorders = ["/held", "/queued"].map { path in
            EventRecorder(of: client.events(for: HTTPRequest(.get, path)))
        }
        try await server.waitForRequests(1)
        gate.open()
        await client.shutdown()
        for recorder in recorders { #expect(recorder.recording.value.response?.status == .ok) }
    }
}
