import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// The stages of exchanges, as monitors are told of them.
@Suite(.reservesDescriptors) struct ExchangeStageTests {
    /// The stages of each request, in order, with the end of the request.
    private final class Stages: EventMonitor {
        let stages = Watched<[Int: [String]]>([:])
        let exchanges = Watched<[HTTPRequest.Metrics.Exchange]>([])
        let onStage: @Sendable (String) -> Void

        init(onStage: @escaping @Sendable (String) -> Void = { _ in }) {
            self.onStage = onStage
        }

        func request(
            _ request: MonitoredRequest, exchange: HTTPRequest.Metrics.Exchange,
            reached stage: MonitoredRequest.Stage
        ) {
            if case .ended = stage { exchanges.update { $0.append(exchange) } }
            record(stage.outline, request)
        }

        func requestEnded(
            _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>,
            metrics: HTTPRequest.Metrics
        ) {
            record("over", request)
        }

        private func record(_ stage: String, _ request: MonitoredRequest) {
            stages.update { $0[request.id, default: []].append(stage) }
            onStage(stage)
        }

        /// Waits for the end of the only request, and compares what was told of it.
        func expect(_ expected: [String], location: SourceLocation = #_sourceLocation) async throws {
            let stages = try await stages.wait(for: "the end") { $0.values.first?.last == "over" }
            #expect(Array(stages.values) == [expected], sourceLocation: location)
        }
    }

    private let server: LoopbackServer
    private let monitor = Stages()

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 100_000))
    }

    private func client(
        _ monitors: [any EventMonitor]? = nil, transport: any HTTPTransport = CurlTransport(),
        options: RequestOptions = RequestOptions()
    ) -> HTTPClient {
        server.client(options: options, transport: transport).configuring { $0.monitors = monitors ?? [monitor] }
    }

    @Test func redirectsAndRetriesAreExchanges() async throws {
        server.on("GET", "/old", .redirect(to: "/new"))
        server.on("GET", "/new", .status(503), .text("at last"))
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: .init(initial: .zero, maximum: .zero))
        }
        _ = try await client(options: options).response(for: HTTPRequest(.get, "/old?token=secret"))
        let exchanges = ["302", "503", "302", "200"].enumerated().flatMap { index, status in
            ["started", index == 0 ? "connected" : "reused", "head \(status)", "ended"]
        }
        try await monitor.expect(exchanges + ["over"])
        let ended = monitor.exchanges.value
        #expect(ended.map(\.attempt) == [1, 1, 2, 2])
        #expect(ended.allSatisfy { $0.measured != nil && !$0.url.contains("secret") })
    }

    @Test func theConnectionIsToldBeforeTheBodyIsSent() async throws {
        let gate = Gate()
        server.on("POST", "/", .text("done").held(by: gate))
        let recorder = EventRecorder<Void>()
        let body = HTTPBody.data(Data(GeneratedBytes.bytes(0..<100_000)))
        client().events(for: HTTPRequest(.post, "/", body: body)).subscribe(recorder)
        try await recorder.recording.wait(for: "progress") { $0.events.contains { $0.name == "upload" } }
        #expect(monitor.stages.value.values.first == ["started", "connected"])
        gate.open()
        _ = try await recorder.finished()
        try await monitor.expect(["started", "connected", "head 200", "ended", "over"])
        let received = try #require(server.requests.first)
        let isExact = received.bodyCount == 100_000 && GeneratedBytes.matches(received.body, at: 0)
        #expect(isExact)
    }

    @Test func aFailureEndsAnExchange() async throws {
        _ = try? await client().response(for: HTTPRequest(.get, "http://127.0.0.1:1/"))
        try await monitor.expect(["started", "ended connection.refused", "over"])
    }

    @Test func aCancellationEndsTheExchangeBeforeTheRequest() async throws {
        let gate = Gate()
        server.on("GET", "/", .text("late").held(by: gate))
        let subscription = client().events(for: HTTPRequest(.get, "/")).sink(
            receiveCompletion: { _ in }, receiveValue: { _ in })
        // Not for the request at the server, which can arrive before the monitor's event.
        try await monitor.stages.wait(for: "the connection") { $0.values.first == ["started", "connected"] }
        subscription.cancel()
        try await monitor.expect(["started", "connected", "ended cancelled", "over"])
        gate.open()
    }

    @Test func aRedirectWhoseBodyIsLongIsBrokenOff() async throws {
        let gate = Gate()
        server.on("GET", "/old", Reply(302, headers: ["Location": "/new"], body: .generated(10_000_000)))
        server.on("GET", "/new", .text("new").held(by: gate))
        let task = Task { [client = client()] in try await client.response(for: HTTPRequest(.get, "/old")) }
        let broken = ["started", "connected", "head 302", "ended cancelled", "started", "connected"]
        try await monitor.stages.wait(for: "the second exchange") { $0.values.first == broken }
        gate.open()
        _ = try await task.value
        try await monitor.expect(broken + ["head 200", "ended", "over"])
    }

    /// A transport may deliver everything before it returns the exchange.
    @Test func eventsDuringTheStartOfAnExchangeAreInOrder() async throws {
        let transport = ScriptedTransport { request, receiver in
            let isFirst = request.url.path() == "/old"
            let status = HTTPStatus(isFirst ? 302 : 200)
            let headers: HTTPHeaders = isFirst ? ["Location": "/new"] : [:]
            receiver.receive(.connected(isReused: false, remoteAddress: nil))
            receiver.receive(.head(HTTPResponse(status: status, headers: headers, body: (), url: request.url)))
            receiver.receive(.finished)
            return ScriptedExchange()
        }
        _ = try await client(transport: transport).response(for: HTTPRequest(.get, "/old"))
        let exchanges = ["302", "200"].flatMap { ["started", "connected", "head \($0)", "ended"] }
        try await monitor.expect(exchanges + ["over"])
    }

    @Test(arguments: ["started", "connected", "head 200", "ended"])
    func aMonitorMayCancelAtEachStage(stage: String) async throws {
        let recorder = EventRecorder<Void>()
        let first = Stages { if $0 == stage { recorder.cancel() } }
        let second = Stages()
        server.on("GET", "/", .text("hello"))
        client([first, second]).events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        let told = ["started", "connected", "head 200", "ended"]
        let passed = told.prefix { $0 != stage } + [stage]
        let end = stage == "ended" ? ["over"] : ["ended cancelled", "over"]
        try await first.expect(passed + end)
        try await second.expect(passed + end)
        if stage == "started" { #expect(server.requests.isEmpty) }
    }

    @Test func whatIsToldHasOneOrderWhateverEndsARequest() async throws {
        server.on("GET", "/", .redirect(to: "/new"))
        server.on("GET", "/new", .text("hello"))
        let client = client().configuring { $0.limits.maxConcurrentRequests = 16 }
        await withTaskGroup { group in
            for number in 0..<500 {
                group.addTask {
                    let task = Task { try await client.response(for: HTTPRequest(.get, "/")) }
                    for _ in 0..<number % 50 { await Task.yield() }
                    if number % 3 > 0 { task.cancel() }
                    _ = try? await task.value
                }
            }
        }
        let stages = try await monitor.stages.wait(for: "all ends") { $0.values.allSatisfy { $0.last == "over" } }
        let order = /(started;(connected;|reused;)*(head \d+;)?ended( [a-z.-]+)?;)*over;/
        for stages in stages.values {
            let text = stages.map { "\($0);" }.joined()
            #expect(text.wholeMatch(of: order) != nil, "\(text)")
        }
    }
}

extension MonitoredRequest.Stage {
    fileprivate var outline: String {
        switch self {
        case .started: "started"
        case .connected(let isReused, _): isReused ? "reused" : "connected"
        case .head(let head): "head \(head.status.code)"
        case .ended(let failure): failure.map { "ended \($0.name)" } ?? "ended"
        }
    }
}
