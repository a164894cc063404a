import StreamsHTTP
import StreamsTesting
import Testing

/// The limit of concurrent requests of a client, and the order in which the rest begin.
@Suite struct RequestLimitTests {
    /// Exchanges that stay open until the test ends them, in the order they began.
    private final class Desk: Sendable {
        struct Visit: Sendable {
            let path: String
            let receiver: any TransportReceiver
        }

        let visits = Watched<[Visit]>([])
        let url: URL

        init() throws {
            url = try #require(URL(string: "http://h/"))
        }

        var paths: [String] { visits.value.map(\.path) }

        func client(limit: Int?, options: RequestOptions = RequestOptions()) -> HTTPClient {
            HTTPClient(configuration: configuration(limit, options), transport: transport)
        }

        func client(limit: Int?, options: RequestOptions = RequestOptions(), scheduler: TestScheduler) -> HTTPClient {
            HTTPClient(configuration: configuration(limit, options), transport: transport, scheduler: scheduler)
        }

        func finish(_ index: Int) {
            let receiver = visits.value[index].receiver
            receiver.receive(.head(HTTPResponse(status: .ok, body: (), url: url)))
            receiver.receive(.finished)
        }

        private func configuration(_ limit: Int?, _ options: RequestOptions) -> HTTPClient.Configuration {
            var configuration = HTTPClient.Configuration(baseURL: url, options: options)
            configuration.limits.maxConcurrentRequests = limit
            return configuration
        }

        private var transport: ScriptedTransport {
            ScriptedTransport { [visits] request, receiver in
                visits.update { $0.append(Visit(path: request.url.path(), receiver: receiver)) }
                return ScriptedExchange()
            }
        }
    }

    private let desk: Desk

    init() throws {
        desk = try Desk()
    }

    private func start(_ paths: [String], on client: HTTPClient) -> [EventRecorder<Void>] {
        paths.map { path in
            EventRecorder(of: client.events(for: HTTPRequest(.get, path)))
        }
    }

    @Test func furtherRequestsWaitAndBeginInTheOrderTheyCame() async throws {
        let recorders = start(["/1", "/2", "/3", "/4", "/5"], on: desk.client(limit: 2))
        #expect(desk.paths == ["/1", "/2"])
        for (index, recorder) in recorders.enumerated() {
            desk.finish(index)
            try await recorder.finished()
            #expect(desk.paths == Array(["/1", "/2", "/3", "/4", "/5"].prefix(index + 3)))
        }
    }

    @Test func withoutALimitNoneWaits() {
        let recorders = start((1...100).map { "/\($0)" }, on: desk.client(limit: nil))
        #expect(desk.paths.count == 100)
        for recorder in recorders { recorder.cancel() }
    }

    @Test(arguments: [0, -1]) func aLimitOfLessThanOneIsOne(limit: Int) {
        let recorders = start(["/1", "/2"], on: desk.client(limit: limit))
        #expect(desk.paths == ["/1"])
        for recorder in recorders { recorder.cancel() }
    }

    @Test func derivedClientsHaveQueuesOfTheirOwn() async throws {
        let client = desk.client(limit: 1)
        let derived = client.configuring { $0.limits.maxConcurrentRequests = 2 }
        let recorders = start(["/1", "/2"], on: client) + start(["/3", "/4", "/5"], on: derived)
        #expect(desk.paths == ["/1", "/3", "/4"])
        client.cancelAll()
        for recorder in recorders.prefix(2) {
            #expect(try await recorder.finished().failure?.isCancellation == true)
        }
        await client.shutdown()
        recorders[2].cancel()
        #expect(desk.paths == ["/1", "/3", "/4", "/5"])
        recorders[3].cancel()
        recorders[4].cancel()
    }

    private final class Sentinel: EventMonitor {
        let isReleased: Watched<Bool>

        init(_ isReleased: Watched<Bool>) {
            self.isReleased = isReleased
        }

        deinit { isReleased.update { $0 = true } }
    }

    @Test func requestsUnderWayOutliveTheirClient() async throws {
        let isReleased = Watched(false)
        do {
            let recorders = start(
                ["/1", "/2"], on: desk.client(limit: 1).configuring { $0.monitors = [Sentinel(isReleased)] })
            for (index, recorder) in recorders.enumerated() {
                desk.finish(index)
                #expect(try await recorder.finished().response?.status == .ok)
            }
        }
        desk.visits.update { $0 = [] }
        try await isReleased.wait(for: "the release of the client") { $0 }
    }

    @Test func oneThatIsCancelledWhileItWaitsIsPassedOver() async throws {
        let recorders = start(["/1", "/2", "/3", "/4"], on: desk.client(limit: 1))
        recorders[1].cancel()
        recorders[3].cancel()
        desk.finish(0)
        try await recorders[0].finished()
        #expect(desk.paths == ["/1", "/3"])
        desk.finish(1)
        try await recorders[2].finished()
        #expect(desk.paths == ["/1", "/3"])
        #expect(recorders[1].recording.value.signalCount == 0)
    }

    @Test func theNextBeginsWhileTheSubscriberIsBusyWithTheEnd() async throws {
        let client = desk.client(limit: 1)
        let began = Watched(false)
        let desk = desk
        let token = client.events(for: HTTPRequest(.get, "/1")).sink(
            receiveCompletion: { _ in
                began.update { $0 = desk.paths == ["/1", "/2"] }
            }, receiveValue: { _ in })
        let second = start(["/2"], on: client)
        desk.finish(0)
        try await began.wait(for: "the second to begin before the first is done") { $0 }
        second[0].cancel()
        token.cancel()
    }

    @Test func timeInTheQueueCountsTowardsTheDeadline() async throws {
        let scheduler = TestScheduler()
        let options = RequestOptions.with { $0.timeouts.total = .seconds(10) }
        let recorders = start(["/1", "/2"], on: desk.client(limit: 1, options: options, scheduler: scheduler))
        scheduler.jump(by: .seconds(6))
        desk.finish(0)
        try await recorders[0].finished()
        #expect(desk.paths == ["/1", "/2"])
        scheduler.jump(by: .seconds(4))
        let recording = try await recorders[1].finished()
        #expect(recording.failure?.reason.outline == "timeout.total")
        #expect(recording.outline == ["attempt 1"])
    }

    @Test func aDeadlineEndsAWaitInTheQueue() async throws {
        let scheduler = TestScheduler()
        let client = desk.client(limit: 1, scheduler: scheduler)
        let first = start(["/1"], on: client)
        let hasty = RequestOptions.with { $0.timeouts.total = .seconds(1) }
        let second = EventRecorder(of: client.events(for: HTTPRequest(.get, "/2", options: hasty)))
        scheduler.jump(by: .seconds(1))
        let recording = try await second.finished()
        let error = try #require(recording.failure)
        #expect(error.reason.outline == "timeout.queue")
        #expect(
            error.description
                == "GET http://h/2: the total timeout expired while the request waited 1.0 s for a slot of the client")
        #expect(error.isTimeout && !error.mayHaveBeenProcessed)
        #expect(recording.outline == [])
        desk.finish(0)
        try await first[0].finished()
        #expect(desk.paths == ["/1"])
    }

    /// A transport that answers at once makes each request begin the next: that must take no stack.
    @Test func aLongQueueTakesNoStack() async throws {
        let url = desk.url
        let held = Watched<(any TransportReceiver)?>(nil)
        let transport = ScriptedTransport { _, receiver in
            let isFirst = held.update { held in
                defer { held = held ?? receiver }
                return held == nil
            }
            if !isFirst {
                receiver.receive(.head(HTTPResponse(status: .ok, body: (), url: url)))
                receiver.receive(.finished)
            }
            return ScriptedExchange()
        }
        var configuration = HTTPClient.Configuration(baseURL: url)
        configuration.limits.maxConcurrentRequests = 1
        let client = HTTPClient(configuration: configuration, transport: transport)
        let count = 20_000
        try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
            group.addTask { try await client.response(for: HTTPRequest(.get, "/first")).status }
            try await held.wait(for: "the first") { $0 != nil }
            for _ in 0..<count { group.addTask { try await client.response(for: HTTPRequest(.get, "/")).status } }
            let first = held.value
            first?.receive(.head(HTTPResponse(status: .ok, body: (), url: url)))
            first?.receive(.finished)
            var answered = 0
            for try await status in group where status == .ok { answered += 1 }
            #expect(answered == count + 1)
        }
    }
}
