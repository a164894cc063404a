import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// The calls of event monitors.
@Suite(.reservesDescriptors) struct EventMonitorTests {
    /// Notes everything.
    private final class Monitor: EventMonitor {
        struct Note: Sendable {
            var started: [MonitoredRequest] = []
            var events: [String] = []
            var ended: [(request: MonitoredRequest, error: HTTPError?, metrics: HTTPRequest.Metrics)] = []
        }

        let note = Watched(Note())

        func requestStarted(_ request: MonitoredRequest) {
            note.update { $0.started.append(request) }
        }

        func request(_ request: MonitoredRequest, received event: RequestEvent<Data>) {
            note.update { $0.events.append(event.name) }
        }

        func requestEnded(
            _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>,
            metrics: HTTPRequest.Metrics
        ) {
            let error: HTTPError? = if case .failure(let error) = completion { error } else { nil }
            note.update { $0.ended.append((request, error, metrics)) }
        }
    }

    private let server: LoopbackServer
    private let monitor = Monitor()

    init() throws {
        server = try LoopbackServer()
    }

    private func client(
        monitors: [any EventMonitor]? = nil, options: RequestOptions = RequestOptions(),
        transport: any HTTPTransport = CurlTransport()
    ) -> HTTPClient {
        server.client(options: options, transport: transport).configuring { $0.monitors = monitors ?? [monitor] }
    }

    private func end() async throws -> (request: MonitoredRequest, error: HTTPError?, metrics: HTTPRequest.Metrics) {
        let note = try await monitor.note.wait(for: "an end") { !$0.ended.isEmpty }
        #expect(note.ended.count == 1 && note.started.count == 1)
        return try #require(note.ended.first)
    }

    @Test func aRequestIsToldFromStartToEnd() async throws {
        server.on("GET", "/a", .text("hello"))
        let value = try await client().value(for: Call<String>(.get, "/a"))
        #expect(value == "hello")
        let end = try await end()
        #expect(end.error == nil && end.request.method == .get && end.request.url == server.url("/a"))
        let note = monitor.note.value
        #expect(note.started == [end.request])
        #expect(note.events.filter { $0 != "download" } == ["attempt", "head", "response"])
        let exchange = try #require(end.metrics.exchanges.first)
        #expect(end.metrics.exchanges.count == 1 && end.metrics.attempts == 1 && end.metrics.redirects == 0)
        #expect(try #require(exchange.measured).total <= end.metrics.total)
        #expect(end.metrics.bytesReceived > 5)
    }

    @Test func retriesAndRedirectsAreSummed() async throws {
        server.on("GET", "/a", .redirect(to: "/b"))
        server.on("GET", "/b", .status(503), .text("at last"))
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: .init(initial: .zero, maximum: .zero))
        }
        _ = try await client(options: options).response(for: HTTPRequest(.get, "/a"))
        let metrics = try await end().metrics
        #expect(metrics.exchanges.map(\.attempt) == [1, 1, 2, 2])
        #expect(metrics.exchanges.map(\.url) == ["/a", "/b", "/a", "/b"].map { server.url($0) })
        #expect(metrics.attempts == 2 && metrics.redirects == 2)
        let measured = try metrics.exchanges.map { try #require($0.measured) }
        #expect(metrics.bytesSent == measured.reduce(0) { $0 + $1.bytesSent } && metrics.bytesSent > 0)
        #expect(measured.map(\.isConnectionReused) == [false, true, true, true])
        let starts = metrics.exchanges.map(\.start)
        #expect(starts == starts.sorted())
    }

    /// A request that goes on for weeks would gather what it has cost.
    @Test func ofManyExchangesTheLatestAreKeptAndAllAreCounted() async throws {
        let transport = AnsweringTransport { _, _ in .reply(503) }
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 300, backoff: .init(initial: .zero, maximum: .zero))
        }
        let client = client(options: options, transport: transport).configuring { $0.limits.retryBudget = nil }
        _ = try? await client.response(for: HTTPRequest(.get, "/"))
        let metrics = try await end().metrics
        #expect(metrics.attempts == 301 && metrics.redirects == 0)
        #expect(metrics.exchanges.map(\.attempt) == Array(202...301))
    }

    @Test func aFailureAndACancellationAreEnds() async throws {
        server.on("GET", "/", .text("no", status: 404))
        _ = try? await client().response(for: HTTPRequest(.get, "/"))
        #expect(try await end().error?.status == .notFound)
        let other = Monitor()
        let gate = Gate()
        server.on("GET", "/slow", .text("late").held(by: gate))
        let subscription = client(monitors: [other]).events(for: HTTPRequest(.get, "/slow")).sink(
            receiveCompletion: { _ in }, receiveValue: { _ in })
        try await server.waitForRequests(2)
        subscription.cancel()
        let note = try await other.note.wait(for: "an end") { !$0.ended.isEmpty }
        #expect(note.ended.first?.error?.isCancellation == true)
        gate.open()
    }

    @Test func aRequestThatIsNeverSentIsToldAsWell() async throws {
        _ = try? await client().response(for: HTTPRequest(.get, "ftp://host/"))
        let end = try await end()
        #expect(end.error?.name == "invalid-request.unsupported-scheme")
        #expect(end.metrics.exchanges.isEmpty && end.metrics.attempts == 0 && end.metrics.redirects == 0)
    }

    @Test func withoutMonitorsNothingIsAskedToBeMeasured() async throws {
        let asked = Watched<[Bool]>([])
        let transport = ScriptedTransport { request, receiver in
            asked.update { $0.append(request.wantsMetrics) }
            receiver.receive(.failed(TransportFailure(.cancelled)))
            return ScriptedExchange()
        }
        _ = try? await client(monitors: [], transport: transport).response(for: HTTPRequest(.get, "/"))
        _ = try? await client(transport: transport).response(for: HTTPRequest(.get, "/"))
        #expect(asked.value == [false, true])
    }

    @Test func aLogHasLinesWithoutCredentials() async throws {
        server.on("GET", "/a", .text("hello"))
        let lines = Watched<[String]>([])
        let log = LogMonitor(.everything) { line in lines.update { $0.append(line) } }
        let url = server.url("/a").replacing("//", with: "//user:passw0rd@")
        _ = try await client(monitors: [log]).response(for: HTTPRequest(.get, url))
        let text = lines.value
        let id = try #require(text.first?.split(separator: " ").first)
        #expect(text.first == "\(id) GET \(server.url("/a"))")
        #expect(text.contains("\(id) attempt 1") && text.contains("\(id) head 200"))
        let last = try #require(text.last)
        #expect(last.hasPrefix("\(id) finished after ") && last.contains("1 exchange,"))
        #expect(!text.contains { $0.contains("passw0rd") || $0.contains("\n") })
        lines.update { $0 = [] }
        _ = try? await client(monitors: [LogMonitor(.requests) { line in lines.update { $0.append(line) } }])
            .response(for: HTTPRequest(.get, "/none"))
        #expect(lines.value.count == 2 && lines.value.last?.contains("failed after") == true)
    }

    @Test func logsTheFailuresOfAttempts() async throws {
        server.on("GET", "/", .status(503), .text("at last"))
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: .init(initial: .zero, maximum: .zero))
        }
        let lines = Watched<[String]>([])
        let log = LogMonitor { line in lines.update { $0.append(line) } }
        _ = try await client(monitors: [log], options: options).response(for: HTTPRequest(.get, "/"))
        let line = try #require(lines.value.first { $0.contains("failed") })
        #expect(line.hasSuffix(" attempt 1 failed: the server answered 503; the next begins in 0.000 s"))
    }

    @Test func logShowsBytesAndTheirTotal() async throws {
        server.on("GET", "/a", .text("hello"))
        let lines = Watched<[String]>([])
        let log = LogMonitor(.everything) { line in lines.update { $0.append(line) } }
        _ = try await client(monitors: [log]).response(for: HTTPRequest(.get, "/a"))
        #expect(lines.value.contains { $0.hasSuffix(" received 5 of 5 bytes") })
    }

    @Test func logDistinguishesACancellationFromAFailure() async throws {
        let gate = Gate()
        server.on("GET", "/slow", .text("late").held(by: gate))
        let lines = Watched<[String]>([])
        let log = LogMonitor { line in lines.update { $0.append(line) } }
        let subscription = client(monitors: [log]).events(for: HTTPRequest(.get, "/slow")).sink(
            receiveCompletion: { _ in }, receiveValue: { _ in })
        try await server.waitForRequests(1)
        subscription.cancel()
        try await lines.wait(for: "the end") { $0.last?.contains(" cancelled after ") == true }
        // The request was sent, so a line with zero bytes would be wrong.
        #expect(lines.value.last?.contains(" 0 bytes sent") == false)
        gate.open()
    }

    @Test func interceptorsKnowARequestByTheSameNumber() async throws {
        let ids = Watched<Set<Int>>([])
        let client = well.client {
            $0.monitors = [monitor]
            $0.interceptors = [
                Hook(onAdapt: { request, context in
                    ids.update { _ = $0.insert(context.id) }
                    return request
                })
            ]
        }
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        let told = try await end().request.id
        #expect(ids.value == [told])
    }

    // MARK: Ends

    /// Notes the order of starts and ends.
    private final class Course: EventMonitor {
        let steps = Watched<[String]>([])
        let onStart: @Sendable () -> Void

        init(onStart: @escaping @Sendable () -> Void = {}) {
            self.onStart = onStart
        }

        func requestStarted(_ request: MonitoredRequest) {
            steps.update { $0.append("start") }
            onStart()
        }

        func requestEnded(
            _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>,
            metrics: HTTPRequest.Metrics
        ) {
            if case .failure(let error) = completion {
                steps.update { $0.append(error.name) }
            } else {
                steps.update { $0.append("finished") }
            }
        }
    }

    private let well = AnsweringTransport { _, _ in .reply(200) }

    @Test func whatIsCancelledBeforeItIsAskedForIsNotTold() {
        let course = Course()
        let client = well.client { $0.monitors = [course] }
        let subscriber = AnySubscriber<RequestEvent<Void>, HTTPError>(receiveSubscription: { subscription in
            subscription.cancel()
            subscription.request(.unlimited)
        })
        client.events(for: HTTPRequest(.get, "/")).subscribe(subscriber)
        #expect(course.steps.value == [])
        #expect(well.requests.value.isEmpty)
    }

    @Test func theEndDoesNotOvertakeTheStart() async throws {
        let recorder = EventRecorder<Void>()
        let courses = [Course { recorder.cancel() }, Course()]
        let client = well.client { $0.monitors = courses }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        for course in courses { #expect(course.steps.value == ["start", "cancelled"]) }
    }

    /// Does something when it is told of an event or the end, and notes what it is told.
    private final class Intruder: EventMonitor {
        let steps = Watched<[String]>([])
        let onStep: @Sendable (String) -> Void

        init(onStep: @escaping @Sendable (String) -> Void = { _ in }) {
            self.onStep = onStep
        }

        func request(_ request: MonitoredRequest, received event: RequestEvent<Data>) {
            note(event.name)
        }

        func requestEnded(
            _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>,
            metrics: HTTPRequest.Metrics
        ) {
            if case .failure(let error) = completion { note(error.name) } else { note("finished") }
        }

        private func note(_ step: String) {
            steps.update { $0.append(step) }
            onStep(step)
        }
    }

    @Test(arguments: ["head", "response", "finished"])
    func nothingFollowsTheCancellationByAMonitor(step: String) async throws {
        let recorder = EventRecorder<Void>()
        let isCancelled = Watched(false)
        let first = Intruder {
            guard $0 == step else { return }
            recorder.cancel()
            isCancelled.update { $0 = true }
        }
        let second = Intruder()
        let client = well.client { $0.monitors = [first, second] }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        try await isCancelled.wait(for: "the cancellation") { $0 }
        let told = ["attempt", "head", "response"].prefix { $0 != step }
        if step == "finished" {
            for monitor in [first, second] {
                try await monitor.steps.wait(for: "the end") { $0 == told + ["finished"] }
            }
        } else {
            // The end is reported when the monitor that cancels has returned.
            try await first.steps.wait(for: "the end") { $0 == told + [step, "cancelled"] }
            try await second.steps.wait(for: "the end") { $0 == told + ["cancelled"] }
        }
        // Whatever is delivered yet, is delivered by the thread that has told the monitors.
        try await recorder.recording.waitForStandstill()
        #expect(recorder.recording.value.events.map(\.name) == Array(told))
        #expect(!recorder.recording.value.isComplete)
    }

    /// The subscriber is told that all went well, whoever cancels behind that.
    @Test func aCancellationBehindTheEndIsNoEnd() async throws {
        let scheduler = MeddlingScheduler()
        let course = Course()
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "http://h"))
        configuration.monitors = [course]
        configuration.options.timeouts.total = .seconds(10)
        let client = HTTPClient(configuration: configuration, transport: well, scheduler: scheduler)
        let recorder = EventRecorder<Void>()
        scheduler.onCancel.update { $0 = { recorder.cancel() } }
        client.events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        let recording = try await recorder.finished()
        #expect(recording.failure == nil)
        #expect(course.steps.value == ["start", "finished"])
    }
}

/// A scheduler that does something of its own when a timer is called off.
private struct MeddlingScheduler: Scheduler {
    typealias SchedulerTimeType = TestScheduler.SchedulerTimeType
    typealias SchedulerOptions = TestScheduler.SchedulerOptions

    let onCancel = Watched<(@Sendable () -> Void)?>(nil)
    private let base = TestScheduler()

    var now: SchedulerTimeType { base.now }
    var minimumTolerance: SchedulerTimeType.Stride { base.minimumTolerance }

    func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        base.schedule(options: options, action)
    }

    func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        base.schedule(after: date, tolerance: tolerance, options: options, action)
    }

    func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        let timer = base.schedule(
            after: date, interval: interval, tolerance: tolerance, options: options, action)
        return Timer(base: timer, onCancel: onCancel)
    }

    private struct Timer: Cancellable {
        let base: any Cancellable
        let onCancel: Watched<(@Sendable () -> Void)?>

        func cancel() {
            base.cancel()
            onCancel.value?()
        }
    }
}
