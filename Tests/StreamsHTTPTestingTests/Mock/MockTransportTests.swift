import StreamsHTTP
import StreamsHTTPTesting
import StreamsLoopback
import StreamsTesting
import Testing

@testable import Streams

@Suite struct MockTransportTests {
    private let mock = MockTransport()

    private func client(_ mock: MockTransport? = nil, options: RequestOptions = RequestOptions()) -> HTTPClient {
        let configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"), options: options)
        return HTTPClient(configuration: configuration, transport: mock ?? self.mock)
    }

    private func request(_ path: String, method: HTTPMethod = .get, body: HTTPBody = .empty) throws -> TransportRequest
    {
        let url = try #require(URL(string: "https://api.example.com\(path)"))
        return TransportRequest(method: method, url: url, body: body)
    }

    private func text(_ request: HTTPRequest) async throws -> String {
        String(decoding: try await client().response(for: request).body, as: UTF8.self)
    }

    @Test func routesMatchMethodAndPattern() async throws {
        mock.on(nil, "/**", .text("rest"))
        mock.on(.get, "/users/*", .text("user"))
        mock.on(.post, "/users/*", .text("posted"))
        mock.on(.get, "/users/me", .text("me"))
        mock.on(.get, "/users/me?full=1", .text("all of me"))
        mock.on(.get, "https://other.example.com/users/*", .text("other"))
        #expect(try await text(HTTPRequest(.get, "/users/7")) == "user")
        #expect(try await text(HTTPRequest(.get, "/users/7?full=1")) == "user")
        #expect(try await text(HTTPRequest(.post, "/users/7")) == "posted")
        #expect(try await text(HTTPRequest(.get, "/users/me")) == "me")
        #expect(try await text(HTTPRequest(.get, "/users/me?full=1")) == "all of me")
        #expect(try await text(HTTPRequest(.get, "/users/7/posts")) == "rest")
        #expect(try await text(HTTPRequest(.get, "/users")) == "rest")
        #expect(try await text(HTTPRequest(.get, "https://other.example.com/users/7")) == "other")
    }

    /// The more specific pattern and the less specific one, both of which match `GET /users/me?full=1`.
    static let precedences: [(HTTPMethod?, String, HTTPMethod?, String)] = [
        (.get, "/users/me", .get, "/users/*"), (.get, "/users/*", .get, "/users/**"), (.get, "/users/*", .get, "/*/me"),
        (.get, "/users/me", .get, "/users/me/**"), (nil, "/users/me", .get, "/users/*"),
        (.get, "/users/*", nil, "/users/*"), (.get, "/users/me?full=1", .get, "/users/me"),
        (.get, "/users/me", nil, "/users/me?full=1"), (.get, "/users/me", .get, "/users/*?full=1"),
        (nil, "https://api.example.com/**", .get, "/users/me"),
    ]

    @Test(arguments: precedences, [true, false])
    func moreSpecificRouteAnswers(
        routes: (HTTPMethod?, String, HTTPMethod?, String), isSpecificFirst: Bool
    ) async throws {
        let (method, pattern, otherMethod, otherPattern) = routes
        if isSpecificFirst { mock.on(method, pattern, .text("specific")) }
        mock.on(otherMethod, otherPattern, .text("general"))
        if !isSpecificFirst { mock.on(method, pattern, .text("specific")) }
        #expect(try await text(HTTPRequest(.get, "/users/me?full=1")) == "specific")
    }

    @Test func lastOfEquallySpecificRoutesAnswers() async throws {
        mock.on(.get, "/users/*", .text("first"))
        mock.on(.get, "/users/*", .text("second"))
        #expect(try await text(HTTPRequest(.get, "/users/me")) == "second")
    }

    @Test(arguments: ["https://other.example.com/a", "https://Other.example.com:443/a"])
    func defaultPortOfPatternMayBeOmitted(pattern: String) async throws {
        mock.on(.get, pattern, .text("other"))
        mock.on(.get, "https://other.example.com:444/a", .text("elsewhere"))
        #expect(try await text(HTTPRequest(.get, "https://other.example.com/a")) == "other")
        #expect(try await text(HTTPRequest(.get, "https://other.example.com:443/a")) == "other")
        #expect(try await text(HTTPRequest(.get, "https://other.example.com:444/a")) == "elsewhere")
    }

    /// A scheduler that runs its first timed action inside the call.
    private final class HastyScheduler: Scheduler, Sendable {
        typealias SchedulerTimeType = TestScheduler.SchedulerTimeType
        typealias SchedulerOptions = Never

        let later = TestScheduler()
        private let isHasty = Locked(true)

        var now: SchedulerTimeType { later.now }
        var minimumTolerance: SchedulerTimeType.Stride { later.minimumTolerance }

        @preconcurrency
        func schedule(options: Never?, _ action: @escaping @Sendable () -> Void) {
            later.schedule(action)
        }

        @preconcurrency
        func schedule(
            after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
            _ action: @escaping @Sendable () -> Void
        ) {
            later.schedule(after: date, tolerance: tolerance, options: nil, action)
        }

        @preconcurrency
        func schedule(
            after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
            options: Never?, _ action: @escaping @Sendable () -> Void
        ) -> any Cancellable {
            let isHasty = isHasty.withLock { isHasty in
                defer { isHasty = false }
                return isHasty
            }
            guard isHasty else {
                return later.schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
            }
            action()
            return AnyCancellable {}
        }
    }

    @Test func timerThatFiresInsideItsCallDoesNotReplaceTheNext() throws {
        let scheduler = HastyScheduler()
        let mock = MockTransport(scheduler: scheduler)
        mock.on(.get, "/", MockResponse(chunks: [Data([1]), Data([2])]).delayingChunks(by: .seconds(1)))
        let recorder = TransportRecorder()
        let exchange = mock.start(try request("/"), delivering: recorder)
        scheduler.later.advance(by: .seconds(10))
        #expect(recorder.recording.value.body == Data([1, 2]) && recorder.recording.value.isFinished)
        withExtendedLifetime(exchange) {}
    }

    @Test func requestWithoutRouteFailsWithItsName() async throws {
        mock.on(.get, "/users/*", .text("user"))
        let error = try await failure { () async throws(HTTPError) in
            try await client().response(for: HTTPRequest(.delete, "/users/7"))
        }
        guard case .thrown(let cause, by: .transport) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect((cause as? MissingRoute)?.request == "DELETE https://api.example.com/users/7")
        #expect(error.description.contains("no route answers DELETE https://api.example.com/users/7"))
        mock.otherwise { MockResponse.text("\($0.turn)") }
        #expect(try await text(HTTPRequest(.delete, "/users/7")) == "0")
    }

    @Test func repeatsLastResponseOfRoute() async throws {
        mock.on(.get, "/", .failure(.connection(.refused)), MockResponse(.serviceUnavailable), .text("at last"))
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 5, backoff: .init(initial: .zero, maximum: .zero))
        }
        let recording = try await EventRecorder.record(client(options: options).events(for: Call<String>(.get, "/")))
        #expect(recording.response?.body == "at last")
        #expect(recording.retries.map(\.error.reason.outline) == ["connection.refused", "status(503)"])
        #expect(mock.requests.map(\.turn) == [1, 2, 3])
        #expect(try await text(HTTPRequest(.get, "/")) == "at last")
    }

    @Test func encodesJSON() async throws {
        mock.on(.get, "/greeting", try .json(Greeting(text: "hello")))
        let response = try await client().response(for: Call<Greeting>(.get, "/greeting"))
        #expect(response.body == Greeting(text: "hello") && response.headers["Content-Type"] == "application/json")
    }

    @Test func equalValuesHaveEqualBodies() throws {
        struct Quote: Encodable {
            let symbol = "A", price = 1, volume = 2, currency = "EUR"
        }
        let bodies = try (0..<50).map { _ in try MockResponse.json(Quote()).chunks }
        #expect(Set(bodies) == [[Data(#"{"currency":"EUR","price":1,"symbol":"A","volume":2}"#.utf8)]])
    }

    @Test(arguments: [true, false])
    func readsAndRecordsBodies(isStream: Bool) async throws {
        let chunks = (0..<10).map { Data(GeneratedBytes.bytes($0 * 30_000..<($0 + 1) * 30_000)) }
        let whole = Data(chunks.joined())
        let body: HTTPBody = isStream ? .stream(length: 300_000, ChunkSource(chunks)) : .data(whole)
        mock.on(.post, "/echo") { MockResponse(body: $0.body) }
        let request = HTTPRequest(.post, "/echo", headers: ["X-A": "1"], body: body)
        let recording = try await EventRecorder.record(client().events(for: request))
        let isExact = recording.body == whole
        #expect(isExact)
        #expect(recording.uploads.last?.fraction == 1)
        let recorded = try #require(mock.requests.first)
        let isRecorded = recorded.body == whole
        #expect(isRecorded && recorded.isBodyComplete && recorded.headers["X-A"] == "1")
    }

    @Test(arguments: [1000, 16_384, 65_536, 65_537, 99_999, 100_000, 200_000])
    func deliversSplitBodies(size: Int) async throws {
        let body = Data(GeneratedBytes.bytes(0..<100_000))
        mock.on(.get, "/", MockResponse(body: body).split(into: size))
        let response = try await client().response(for: HTTPRequest(.get, "/"))
        let isCollected = response.body == body
        let recording = try await EventRecorder.record(client().events(for: HTTPRequest(.get, "/")))
        let isDelivered = recording.body == body
        #expect(isCollected && isDelivered)
    }

    @Test func failsWithErrorOfBody() async throws {
        struct Broken: Error {}
        mock.on(.post, "/", .text("never"))
        let error = try await failure { () async throws(HTTPError) in
            let body = HTTPBody.stream(ChunkSource([Data(count: 10)], end: .failed(Broken())))
            return try await client().response(for: HTTPRequest(.post, "/", body: body))
        }
        #expect(error.reason.outline == "thrown.body(Broken)")
        #expect(mock.requests.first?.isBodyComplete == false)
    }

    @Test func abortCancelsSourceOfBody() async throws {
        mock.on(.post, "/", .text("never"))
        let source = ChunkSource([Data(count: 10)], end: .open)
        let recorder = EventRecorder(of: client().events(for: HTTPRequest(.post, "/", body: .stream(source))))
        try await recorder.wait(for: "an upload") { !$0.uploads.isEmpty }
        recorder.cancel()
        try await source.journal.wait(for: "the source's end") { $0.isCancelled }
    }

    @Test func waitsForGrantedBytes() async throws {
        mock.on(.get, "/", MockResponse(body: Data(0..<100)).split(into: 10))
        var asked = try request("/")
        asked.window = 25
        let recorder = TransportRecorder()
        let exchange = mock.start(asked, delivering: recorder)
        // A transport may exceed the window by one chunk.
        try await recorder.recording.wait(for: "the window") { $0.body.count == 30 }
        exchange.allow(bytes: 5)
        #expect(recorder.recording.value.body == Data(0..<30))
        exchange.allow(bytes: 1)
        #expect(recorder.recording.value.body == Data(0..<40))
        exchange.allow(bytes: 1000)
        let recording = try await recorder.ended()
        #expect(recording.body == Data(0..<100) && recording.problems == [])
    }

    @Test func deliversNothingAfterAbort() async throws {
        mock.on(.get, "/", MockResponse(body: Data(0..<100)).split(into: 10))
        let exchange = Watched<(any TransportExchange)?>(nil)
        let recorder = TransportRecorder { event in
            if case .chunk = event { exchange.value?.abort() }
        }
        var asked = try request("/")
        asked.window = 0
        let started = mock.start(asked, delivering: recorder)
        exchange.update { $0 = started }
        try await recorder.recording.wait(for: "the head") { $0.head != nil }
        started.allow(bytes: 1000)
        started.abort()
        #expect(recorder.recording.value.body == Data(0..<10) && !recorder.recording.value.isOver)
    }

    @Test func delaysOnScheduler() throws {
        let scheduler = TestScheduler()
        let mock = MockTransport(scheduler: scheduler)
        mock.on(
            .get, "/",
            MockResponse(body: Data(0..<4)).split(into: 2).delayed(by: .seconds(5)).delayingChunks(by: .seconds(1)))
        let recorder = TransportRecorder()
        _ = mock.start(try request("/"), delivering: recorder)
        #expect(recorder.recording.value.events.isEmpty)
        scheduler.advance(by: .milliseconds(4999))
        #expect(recorder.recording.value.head == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(recorder.recording.value.head?.status == .ok && recorder.recording.value.body.isEmpty)
        scheduler.advance(by: .seconds(1))
        #expect(recorder.recording.value.body == Data([0, 1]))
        scheduler.advance(by: .seconds(1))
        #expect(recorder.recording.value.isFinished && recorder.recording.value.body == Data(0..<4))
    }

    @Test(arguments: [
        (MockFault.Place.connecting, "timeout.connect", 3, 0), (.beforeHead, "timeout.idle", 7, 0),
        (.inBody(after: 3), "timeout.idle", 7, 3),
    ])
    func timeoutsEndStalls(
        place: MockFault.Place, reason: String, seconds: Int, bytes: Int
    ) throws {
        let scheduler = TestScheduler()
        let mock = MockTransport(scheduler: scheduler)
        mock.on(.get, "/", .text("hello").stalling(at: place))
        var asked = try request("/")
        asked.connectTimeout = .seconds(3)
        asked.idleTimeout = .seconds(7)
        let recorder = TransportRecorder()
        _ = mock.start(asked, delivering: recorder)
        scheduler.advance(by: .seconds(seconds) - .milliseconds(1))
        #expect(!recorder.recording.value.isOver && recorder.recording.value.body == Data("hello".utf8.prefix(bytes)))
        scheduler.advance(by: .milliseconds(1))
        #expect(recorder.recording.value.failure?.reason.outline == reason)
        asked.connectTimeout = nil
        asked.idleTimeout = nil
        let patient = TransportRecorder()
        _ = mock.start(asked, delivering: patient)
        scheduler.advance(by: .seconds(86_400))
        #expect(!patient.recording.value.isOver)
    }

    static let reasons: [HTTPError.Reason] = [
        .connection(.hostNotResolved), .connection(.proxyNotResolved), .connection(.refused),
        .connection(.tlsHandshake), .connection(.untrustedCertificate), .connection(.publicKeyNotPinned),
        .connection(.trustRoots), .connection(.resourceExhausted), .timeout(.connect), .timeout(.idle),
        .timeout(.minimumRate), .transfer(.sendFailed), .transfer(.receiveFailed), .transfer(.emptyReply),
        .transfer(.reusedConnectionLost), .transfer(.notHTTP), .transfer(.bodyEndedEarly), .transfer(.headTooLarge),
        .transfer(.undecodableContent),
        .transfer(.protocolError), .transfer(.other), .thrown(CancellationError(), by: .body),
    ]

    @Test(arguments: [MockFault.Place.connecting, .beforeHead, .inBody(after: 3), .inBody(after: 100)])
    func failsForAnyReasonAtAnyPlace(place: MockFault.Place) async throws {
        for reason in Self.reasons {
            mock.on(.post, "/", .text("hello").failing(reason, at: place))
            let request = HTTPRequest(.post, "/", body: .text("body"))
            let recording = try await EventRecorder.record(client().events(for: request))
            #expect(recording.failure?.reason.outline == reason.outline)
            let expected =
                switch place {
                case .connecting, .beforeHead: ""
                case .inBody(let count): String("hello".prefix(count))
                }
            #expect(String(decoding: recording.body, as: UTF8.self) == expected)
            #expect(mock.requests.last?.isBodyComplete == (place != .connecting))
        }
    }

    @Test func answersHeadWithoutBodyAndRedirects() async throws {
        mock.on(nil, "/", .text("hello"))
        mock.on(.get, "/old", .redirect(to: "/"))
        let head = try await client().response(for: HTTPRequest(.head, "/"))
        #expect(head.body.isEmpty && head.headers["Content-Length"] == "5")
        let response = try await client().response(for: HTTPRequest(.get, "/old"))
        #expect(response.url.absoluteString == "https://api.example.com/" && response.body == Data("hello".utf8))
    }

    @Test func deliversMetricsIfWanted() async throws {
        let metrics = TransportEvent.Metrics(total: .seconds(1), bytesReceived: 12)
        var response = MockResponse.text("hello")
        response.metrics = metrics
        mock.on(.get, "/", response)
        for isWanted in [true, false] {
            var asked = try request("/")
            asked.wantsMetrics = isWanted
            let recorder = TransportRecorder()
            _ = mock.start(asked, delivering: recorder)
            let recording = try await recorder.ended()
            #expect(recording.metrics == (isWanted ? metrics : nil) && recording.problems == [])
        }
    }

    @Test func repeatsTenThousandRequestsOnFlatStack() async throws {
        mock.on(.get, "/", .text("hello"))
        var count = 0
        let repeated = client().publisher(for: Call<String>(.get, "/")).repeat(10_000)
        for try await _ in repeated.values { count += 1 }
        #expect(count == 10_001)
    }
}
