import StreamsHTTP
import StreamsHTTPTesting
import StreamsLoopback
import StreamsTesting
import Testing

/// Retries against a server that fails, on a clock that the test moves.
@Suite(.serialized, .reservesDescriptors) struct RetryTests {
    private let server: LoopbackServer
    private let scheduler = TestScheduler()

    init() throws {
        server = try LoopbackServer()
    }

    private func client(maxRetries: Int = 3) -> HTTPClient {
        server.client(
            options: .with { $0.retry = RetryPolicy(maxRetries: maxRetries) }, scheduler: scheduler)
    }

    /// Puts the clock forward to so many retries, one after the other, each when it has been announced and waits.
    ///
    /// The clock alone does not tell: a timer that has gone off is pending until the thread that set it has taken it
    /// in, which is the one that announces the next retry.
    private func pass<Value: Sendable>(
        _ count: Int, of recorder: EventRecorder<Value>, after interval: TestScheduler.SchedulerTimeType.Stride
    ) async throws {
        for number in 1...count {
            try await recorder.wait(for: "retry \(number)") { $0.retries.count == number }
            try #require(await scheduler.wait(forPending: 1))
            scheduler.jump(by: interval)
        }
    }

    /// The policy decides on failures. Whether a response is one is up to the validation and the policy's statuses.
    @Test func asksNoPolicyAboutASuccess() async throws {
        server.on("GET", "/fine", .text("fine"))
        server.on("GET", "/accepted", .text("gone", status: 404))
        server.on("GET", "/listed", .text("busy", status: 503), .text("fine"))
        server.on("GET", "/refused", .text("wrong", status: 201), .text("fine"))
        let asked = Watched<[HTTPStatus?]>([])
        func body(_ path: String, _ validation: ResponseValidation) async throws -> String {
            let options = RequestOptions.with {
                $0.validation = validation
                $0.retry = RetryPolicy(maxRetries: 3, backoff: Backoff(initial: .zero))
                $0.retry.shouldRetry = { error in
                    asked.update { $0.append(error.status) }
                    return !error.isCancellation
                }
            }
            let response = try await server.client().response(for: HTTPRequest(.get, path, options: options))
            return String(decoding: response.body, as: UTF8.self)
        }
        #expect(try await body("/fine", .successOnly) == "fine")
        #expect(try await body("/accepted", .acceptAll) == "gone")
        #expect(asked.value == [])
        #expect(try await body("/listed", .acceptAll) == "fine")
        #expect(Set(asked.value) == [.serviceUnavailable])
        asked.update { $0 = [] }
        #expect(try await body("/refused", .custom { $0.status == .ok }) == "fine")
        #expect(Set(asked.value) == [.created])
        #expect(server.requests.count == 6)
    }

    @Test func aFlakyEndpointIsAskedAgain() async throws {
        server.on("GET", "/", .text("1", status: 503), .text("2", status: 503), .json(#"{"text":"well"}"#))
        let recorder = EventRecorder(of: client().events(for: Call<Greeting>(.get, "/")))
        try await pass(2, of: recorder, after: .seconds(30))
        let recording = try await recorder.finished()
        #expect(
            recording.outline == [
                "attempt 1", "head 503", "retrying", "attempt 2", "head 503", "retrying", "attempt 3", "head 200",
                "response 200",
            ])
        #expect(recording.retries.map(\.error.status) == [.serviceUnavailable, .serviceUnavailable])
        #expect(recording.retries.map { $0.error.response?.body } == [Data("1".utf8), Data("2".utf8)])
        #expect(recording.response?.body == Greeting(text: "well"))
    }

    @Test func theServersWishIsObeyed() async throws {
        server.on("GET", "/", .status(503, headers: ["Retry-After": "7"]), .text("well"))
        let recorder = EventRecorder(of: client().events(for: HTTPRequest(.get, "/")))
        try #require(await scheduler.wait(forPending: 1))
        let waiting = try await recorder.recording.wait(for: "the announcement") { !$0.retries.isEmpty }
        #expect(waiting.retries.map(\.delay) == [.seconds(7)])
        scheduler.jump(by: .milliseconds(6999))
        #expect(scheduler.pendingCount == 1)
        scheduler.jump(by: .milliseconds(1))
        try await recorder.finished()
        #expect(server.requests.count == 2)
    }

    /// The body of the error arrives on another thread, and the limit of its time is no delay that a test waits for.
    @Test func countsDelayButNotLimitOfErrorBody() async throws {
        for _ in 1...500 {
            let (scheduler, mock) = (TestScheduler(), MockTransport())
            let busy = MockResponse(.serviceUnavailable, headers: ["Retry-After": "7"], body: Data("busy".utf8))
            mock.on(.get, "/", busy, .text("ready"))
            let client = HTTPClient(configuration: .init(), transport: mock, scheduler: scheduler)
            let recorder = EventRecorder<Void>()
            let request = HTTPRequest(.get, "http://h/").settingOptions { $0.retry = RetryPolicy(maxRetries: 1) }
            client.events(for: request).subscribe(recorder)
            try #require(await scheduler.wait(forPending: 1))
            scheduler.advance(by: .seconds(7))
            let recording = try await recorder.finished()
            #expect(recording.body == Data("ready".utf8))
            #expect(recording.retries.map { $0.error.response?.body } == [Data("busy".utf8)])
        }
    }

    @Test func theLastFailureIsTheError() async throws {
        server.on("GET", "/", .status(500), .status(502), .status(503))
        let recorder = EventRecorder(of: client(maxRetries: 2).events(for: HTTPRequest(.get, "/")))
        try await pass(2, of: recorder, after: .seconds(30))
        let recording = try await recorder.finished()
        #expect(recording.failure?.status == .serviceUnavailable)
        #expect(recording.failure?.attempt == 3)
        #expect(scheduler.pendingCount == 0)
    }

    @Test(arguments: [HTTPMethod.post, .patch])
    func whatIsNotIdempotentIsNotRepeated(method: HTTPMethod) async throws {
        server.on(method.rawValue, "/", .status(503))
        let recording = try await EventRecorder.record(client().events(for: HTTPRequest(method, "/")))
        #expect(recording.outline == ["attempt 1", "head 503"])
        #expect(recording.failure?.status == .serviceUnavailable)
    }

    @Test func aBrokenConnectionIsTriedAgain() async throws {
        let whole = Reply.generated(1000)
        server.on(
            "GET", "/", whole.failing(with: .reset(at: .beforeHead)), whole.failing(with: .close(at: .beforeHead)),
            whole)
        let recorder = EventRecorder(of: client().events(for: Call<Data>(.get, "/")))
        try await pass(2, of: recorder, after: .seconds(30))
        let recording = try await recorder.finished()
        let body = try #require(recording.response?.body)
        #expect(body.count == 1000 && GeneratedBytes.matches(body, at: 0))
        #expect(recording.attempts.count == 3)
    }

    @Test func aCollectedBodyThatBreaksIsCollectedAnew() async throws {
        let whole = Reply.generated(1000)
        server.on("GET", "/", whole.failing(with: .close(at: .inBody(after: 500))), whole)
        let recorder = EventRecorder(of: client().events(for: Call<Data>(.get, "/")))
        try #require(await scheduler.wait(forPending: 1))
        scheduler.jump(by: .seconds(30))
        let body = try #require(try await recorder.finished().response?.body)
        #expect(body.count == 1000 && GeneratedBytes.matches(body, at: 0))
    }

    @Test func nothingIsRepeatedBehindADeliveredChunk() async throws {
        server.on("GET", "/", .generated(1000).failing(with: .close(at: .inBody(after: 500))))
        let recording = try await EventRecorder.record(client().events(for: HTTPRequest(.get, "/")))
        #expect(recording.outline == ["attempt 1", "head 200"])
        #expect(recording.body.count == 500 && GeneratedBytes.matches(recording.body, at: 0))
        #expect(recording.failure?.reason.outline == "transfer.body-ended-early")
        #expect(server.requests.count == 1)
    }

    @Test func aReplayableUploadIsSentAgainWhole() async throws {
        server.on("PUT", "/", .status(503), .status(200))
        let recorder = EventRecorder<Void>()
        let body = HTTPBody.data(Data(GeneratedBytes.bytes(0..<50_000)))
        client().events(for: HTTPRequest(.put, "/", body: body)).subscribe(recorder)
        try #require(await scheduler.wait(forPending: 1))
        scheduler.jump(by: .seconds(30))
        let recording = try await recorder.finished()
        #expect(recording.attempts.count == 2)
        for request in server.requests {
            #expect(request.bodyCount == 50_000 && GeneratedBytes.matches(request.body, at: 0))
        }
    }

    @Test func anAwaitedValueIsRetriedToo() async throws {
        server.on("GET", "/", .status(503), .json(#"{"text":"well"}"#))
        let client = client()
        async let value = client.value(for: Call<Greeting>(.get, "/"))
        try #require(await scheduler.wait(forPending: 1))
        scheduler.jump(by: .seconds(30))
        #expect(try await value.text == "well")
    }

    @Test func theDeadlineHoldsForAllAttemptsTogether() async throws {
        server.on("GET", "/", .status(503, headers: ["Retry-After": "60"]))
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 10)
            $0.timeouts.total = .seconds(100)
        }
        let recorder = EventRecorder<Void>()
        server.client(options: options, scheduler: scheduler).events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        try #require(await scheduler.wait(forPending: 2))
        scheduler.jump(by: .seconds(60))
        try await server.waitForRequests(2)
        try #require(await scheduler.wait(forPending: 2))
        scheduler.jump(by: .seconds(40))
        let recording = try await recorder.finished()
        #expect(recording.failure?.reason.outline == "timeout.total")
        #expect(recording.failure?.attempt == 2)
        #expect(scheduler.pendingCount == 0)
    }

    @Test func theDeadlineHoldsForRedirectsTogether() async throws {
        server.on("GET", "/from", .redirect(to: "/to"))
        server.on("GET", "/to", .text("late").held(by: Gate()))
        let options = RequestOptions.with { $0.timeouts.total = .seconds(5) }
        let recorder = EventRecorder<Void>()
        server.client(options: options, scheduler: scheduler).events(for: HTTPRequest(.get, "/from")).subscribe(
            recorder)
        try await server.waitForRequests(2)
        scheduler.jump(by: .seconds(5))
        let recording = try await recorder.finished()
        #expect(recording.failure?.reason.outline == "timeout.total")
        #expect(recording.failure?.redirects.count == 1)
        try await server.waitForDisconnection(of: 2)
    }

    @Test func aDeadlineThatIsMetLeavesNothingBehind() async throws {
        server.on("GET", "/", .text("soon"))
        let options = RequestOptions.with { $0.timeouts.total = .seconds(5) }
        let client = server.client(options: options, scheduler: scheduler)
        _ = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        try #require(await scheduler.wait(forPending: 0))
    }

    @Test func noAttemptBeginsBehindTheTimeForAllOfThem() async throws {
        server.on("GET", "/", .status(503, headers: ["Retry-After": "40"]))
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 10)
            $0.retry.maxElapsed = .seconds(100)
        }
        let recorder = EventRecorder<Void>()
        server.client(options: options, scheduler: scheduler).events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        try await pass(2, of: recorder, after: .seconds(40))
        let recording = try await recorder.finished()
        #expect(recording.failure?.status == .serviceUnavailable)
        #expect(recording.failure?.attempt == 3)
    }

    /// Each attempt leaves the error that it is repeated for, with a body.
    @Test func attemptsWaitForTheSubscriber() async throws {
        let text = String((0..<200_000).map { "\($0)" }.joined(separator: ",").prefix(1 << 20))
        let transport = AnsweringTransport { _, number in .reply(number < 5 ? .serviceUnavailable : .ok, [:], text) }
        let client = transport.client(scheduler) {
            $0.options.retry = RetryPolicy(maxRetries: .max)
            // The clock moves while the bodies arrive.
            $0.options.timeouts.errorBody = nil
        }
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")), demand: .max(1))
        try await recorder.wait(for: "the attempt") { $0.eventCount == 1 }
        for _ in 1...1000 { scheduler.jump(by: .seconds(30)) }
        #expect(transport.requests.value.count == 2)
        // Up to the first error, which makes room for a third attempt.
        recorder.request(.max(2))
        try await recorder.wait(for: "the error") { $0.retries.count == 1 }
        try await transport.requests.wait(for: "the third attempt") { $0.count == 3 }
        for _ in 1...1000 { scheduler.jump(by: .seconds(30)) }
        #expect(transport.requests.value.count == 3)
        recorder.request(.unlimited)
        while !recorder.recording.value.isComplete {
            scheduler.jump(by: .seconds(30))
            await Task.yield()
        }
        let recording = try await recorder.finished()
        #expect(recording.retries.count == 4 && recording.failure == nil)
        let bodies: [Data?] = recording.retries.map { $0.error.response?.body } + [recording.body]
        let isWhole = bodies.allSatisfy { $0 == Data(text.utf8) }
        #expect(isWhole)
    }
}
