import StreamsHTTPTesting
import StreamsLoopback
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// Hedged requests in virtual time.
@Suite struct HedgingTests {
    private let server = PermitServer()

    private func client(
        _ policy: HedgingPolicy = HedgingPolicy(after: .seconds(1)), total: Duration? = nil,
        retry: RetryPolicy = .never,
        _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        let options = RequestOptions.with {
            $0.timeouts.total = total
            $0.hedging = policy
            $0.retry = retry
        }
        return server.client(options, change)
    }

    private func send(_ method: HTTPMethod, _ body: HTTPBody = .empty, on client: HTTPClient) -> EventRecorder<Void> {
        EventRecorder(of: client.events(for: HTTPRequest(method, "/a", body: body)))
    }

    private var aborts: [Int] { server.visits.value.map(\.exchange.abortCount.value) }

    // MARK: The choice

    @Test func theHedgeAnswersFirst() async throws {
        let client = client()
        let recorder = server.start("/a", on: client)
        server.scheduler.advance(by: .milliseconds(999))
        #expect(server.paths == ["/a"])
        server.scheduler.advance(by: .milliseconds(1))
        #expect(server.paths == ["/a", "/a"])
        server.answer(1)
        let recording = try await recorder.finished()
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
        #expect(aborts == [1, 0] && server.scheduler.pendingCount == 0)
    }

    @Test func theFirstCopyAnswersFirst() async throws {
        let recorder = server.start("/a", on: client())
        server.scheduler.advance(by: .seconds(1))
        server.answer(0)
        #expect(try await recorder.finished().response?.status == .ok)
        #expect(aborts == [0, 1])
    }

    @Test func aFastResponseHasNoHedge() async throws {
        let recorder = server.start("/a", on: client())
        let visit = server.visits.value[0]
        visit.receiver.receive(.head(HTTPResponse(status: .ok, body: (), url: visit.request.url)))
        #expect(server.scheduler.pendingCount == 0)
        server.scheduler.advance(by: .seconds(9))
        visit.receiver.receive(.finished)
        try await recorder.finished()
        #expect(server.paths.count == 1)
    }

    @Test func sendsUpToTheMaximum() async throws {
        let recorder = server.start("/a", on: client(HedgingPolicy(after: .seconds(1), maxHedges: 2)))
        server.scheduler.advance(by: .seconds(60))
        #expect(server.visits.value.map(\.time) == [.zero, .seconds(1), .seconds(2)])
        server.answer(2)
        try await recorder.finished()
        #expect(aborts == [1, 1, 0])
    }

    @Test func aFailedCopyIsDroppedWhileAnotherIsUnderWay() async throws {
        let recorder = server.start("/a", on: client())
        server.scheduler.advance(by: .seconds(1))
        server.fail(0, .transfer(.emptyReply))
        #expect(!recorder.recording.value.isComplete)
        server.answer(1)
        #expect(try await recorder.finished().response?.status == .ok)
    }

    @Test func theLastFailureIsThatOfTheExchange() async throws {
        let recorder = server.start("/a", on: client())
        server.scheduler.advance(by: .seconds(1))
        server.fail(1, .connection(.refused))
        server.fail(0, .transfer(.emptyReply))
        #expect(try await recorder.finished().failure?.name == "transfer.empty-reply")
        #expect(aborts == [0, 0])
    }

    @Test func aFailureBeforeTheDelayHasNoHedge() async throws {
        let recorder = server.start("/a", on: client())
        server.fail(0, .connection(.refused))
        #expect(try await recorder.finished().failure?.name == "connection.refused")
        #expect(server.scheduler.pendingCount == 0)
    }

    @Test(arguments: [HTTPStatus.serviceUnavailable, .tooManyRequests])
    func aRefusalIsDroppedWhileAnotherIsUnderWay(status: HTTPStatus) async throws {
        let recorder = server.start("/a", on: client())
        server.scheduler.advance(by: .seconds(1))
        server.answer(1, status)
        server.answer(0)
        #expect(try await recorder.finished().outline == ["attempt 1", "head 200", "response 200"])
    }

    @Test func theLastRefusalIsTheResponse() async throws {
        let client = client(retry: RetryPolicy(maxRetries: 1, backoff: .constant(.zero)))
        let recorder = server.start("/a", on: client)
        server.scheduler.advance(by: .seconds(1))
        server.answer(0, .serviceUnavailable)
        server.answer(1, .badGateway)
        try await server.wait(for: recorder, toRetry: 1)
        server.scheduler.advance()
        try await server.visits.wait(for: "the retry") { $0.count == 3 }
        server.answer(2)
        #expect(try await recorder.finished().retries.map(\.error.reason.outline) == ["status(502)"])
    }

    @Test func otherErrorsAreResponses() async throws {
        let recorder = server.start("/a", on: client())
        server.scheduler.advance(by: .seconds(1))
        server.answer(1, .notFound)
        #expect(try await recorder.finished().failure?.name == "status")
        #expect(aborts == [1, 0])
    }

    @Test func allowedBytesGoToTheChosenCopy() async throws {
        let recorder = EventRecorder(of: client().events(for: HTTPRequest(.get, "/a")), demand: .max(2))
        server.scheduler.advance(by: .seconds(1))
        let visit = server.visits.value[1]
        visit.receiver.receive(.head(HTTPResponse(status: .ok, body: (), url: visit.request.url)))
        visit.receiver.receive(.chunk(Data(GeneratedBytes.bytes(0..<1000)), received: 1000))
        recorder.request(.unlimited)
        try await visit.exchange.allowed.wait(for: "the allowed bytes") { $0 == 1000 }
        #expect(server.visits.value[0].exchange.allowed.value == 0)
        visit.receiver.receive(.finished)
        let body = try await recorder.finished().body
        #expect(body.count == 1000 && GeneratedBytes.matches(body, at: 0))
    }

    // MARK: Requests without hedges

    @Test(arguments: [HTTPMethod.post, .patch, .put, .delete])
    func onlyMethodsThatReadAreHedged(method: HTTPMethod) {
        let recorder = send(method, on: client())
        server.scheduler.advance(by: .seconds(9))
        #expect(server.paths.count == 1)
        recorder.cancel()
    }

    @Test(arguments: [HTTPMethod.query, "REPORT", HTTPMethod("FETCH", isSafe: true)])
    func requestsWithContentThatReadAreHedged(method: HTTPMethod) {
        let recorder = send(method, .data(Data("a".utf8)), on: client())
        server.scheduler.advance(by: .seconds(9))
        #expect(server.paths.count == 2)
        recorder.cancel()
    }

    @Test func otherMethodsCanBeAdded() {
        var policy = HedgingPolicy(after: .seconds(1))
        policy.methods = [.put]
        let recorder = send(.put, .data(Data("a".utf8)), on: client(policy))
        server.scheduler.advance(by: .seconds(9))
        #expect(server.paths.count == 2)
        recorder.cancel()
    }

    @Test func aBodyThatIsSentOnceIsNotHedged() {
        var policy = HedgingPolicy(after: .seconds(1))
        policy.methods = [.put]
        let chunks = Just(Data("a".utf8))
        let recorder = send(.put, .stream(chunks), on: client(policy))
        server.scheduler.advance(by: .seconds(9))
        #expect(server.paths.count == 1)
        recorder.cancel()
    }

    @Test func feedsAndDownloadsAreNotHedged() async throws {
        let client = client()
        let feed = FeedRecorder(of: client.serverSentEvents(for: HTTPRequest(.get, "/feed")).events)
        try await server.visits.wait(for: "the feed") { $0.count == 1 }
        let folder = try ScratchFolder()
        let download = DownloadRecorder(of: client.download(for: HTTPRequest(.get, "/file"), to: "\(folder.path)/file"))
        try await server.visits.wait(for: "the download") { $0.count == 2 }
        server.scheduler.advance(by: .seconds(9))
        #expect(server.paths == ["/feed", "/file"])
        feed.cancel()
        download.cancel()
    }

    // MARK: The budget and the permits

    @Test func hedgesConsumeTheRetryBudget() {
        let client = client { $0.limits.retryBudget = RetryPolicy.Budget(share: 0.5, reserve: 0) }
        let recorders = server.start(4, on: client)
        server.scheduler.advance(by: .seconds(1))
        #expect(server.paths.count == 6)
        let retries = client.snapshot.origins.first?.retries
        #expect(retries?.firstAttempts == 4 && retries?.retries == 2 && retries?.available == 0)
        for recorder in recorders { recorder.cancel() }
    }

    @Test func withoutABudgetAllAreHedged() {
        let recorders = server.start(4, on: client { $0.limits.retryBudget = nil })
        server.scheduler.advance(by: .seconds(1))
        #expect(server.paths.count == 8)
        for recorder in recorders { recorder.cancel() }
    }

    @Test func aHedgeWaitsForAPermit() async throws {
        let client = client { $0.limits.maxConcurrentRequestsPerOrigin = 1 }
        let recorder = server.start("/a", on: client)
        server.scheduler.advance(by: .seconds(1))
        #expect(server.paths.count == 1)
        #expect(client.permitState?.running == 1 && client.permitState?.waitingForPlace == 1)
        server.answer(0)
        try await recorder.finished()
        #expect(server.paths.count == 1)
        #expect(client.permitState?.running == 0 && client.permitState?.waitingForPlace == 0)
    }

    @Test func aCopyThatWaitsIsNotHedged() async throws {
        let client = client { $0.limits.maxConcurrentRequestsPerOrigin = 1 }
        let first = send(.post, on: client)
        let second = server.start("/b", on: client)
        server.scheduler.advance(by: .seconds(3))
        #expect(client.permitState?.waitingForPlace == 1)
        #expect(client.snapshot.requests.map(\.phase) == [.sending, .waitingForPermit])
        server.answer(0)
        try await first.finished()
        #expect(server.paths == ["/a", "/b"])
        server.scheduler.advance(by: .seconds(1))
        #expect(client.permitState?.waitingForPlace == 1)
        second.cancel()
        #expect(client.permitState?.running == 0 && client.permitState?.waitingForPlace == 0)
    }

    /// Without a delay, too, it waits without timers.
    @Test func theDelayBeginsWhenTheCopyIsSent() async throws {
        let client = client(HedgingPolicy(after: .zero)) { $0.limits.maxConcurrentRequestsPerOrigin = 1 }
        let first = send(.post, on: client)
        let second = server.start("/b", on: client)
        server.scheduler.advance(by: .seconds(1))
        #expect(server.scheduler.pendingCount == 0)
        server.answer(0)
        try await first.finished()
        server.scheduler.advance()
        #expect(server.paths == ["/a", "/b"] && client.permitState?.waitingForPlace == 1)
        second.cancel()
    }

    @Test func cancellationsReturnAllPermits() {
        let client = client { $0.limits.maxConcurrentRequestsPerOrigin = 3 }
        for round in 0..<1000 {
            let recorders = server.start(2, on: client)
            server.scheduler.advance(by: .milliseconds(500 * (round % 5)))
            for recorder in recorders { recorder.cancel() }
        }
        #expect(client.permitState?.running == 0 && client.permitState?.waitingForPlace == 0)
        #expect(server.scheduler.pendingCount == 0 && client.snapshot.requests.isEmpty)
    }

    @Test func theTotalTimeoutIsAFailureOfEachCopy() async throws {
        let client = client(total: .seconds(2)) { $0.limits.circuitBreaker = CircuitBreaker() }
        let recorder = server.start("/a", on: client)
        server.scheduler.advance(by: .seconds(2))
        #expect(try await recorder.finished().failure?.name == "timeout.total")
        #expect(aborts == [1, 1])
        #expect(client.permitState?.calls == 2 && client.permitState?.failures == 2)
    }

    // MARK: Observation

    @Test func metricsTellTheCopies() async throws {
        let monitor = MetricsMonitor()
        let lines = Watched<[String]>([])
        let client = client {
            $0.monitors = [monitor, LogMonitor { line in lines.update { $0.append(line) } }]
        }
        let recorder = server.start("/a", on: client)
        server.scheduler.advance(by: .seconds(1))
        #expect(client.snapshot.requests.map(\.hedges) == [1])
        server.answer(1)
        try await recorder.finished()
        let end = try await monitor.metrics.wait(for: "the metrics") { !$0.isEmpty }[0]
        #expect(end.hedges == 1 && end.attempts == 1 && end.redirects == 0)
        #expect(end.exchanges.map(\.hedging.winner) == [1])
        #expect(lines.value.last?.contains("1 exchange and 1 hedge") == true)
    }

    @Test func aStreamKeepsItsGrammarWhateverWins() async throws {
        for round in 0..<200 {
            let server = PermitServer()
            let client = server.client(
                .with { $0.hedging = HedgingPolicy(after: .seconds(1)) }
            ) { _ in }
            let recorder = server.start("/a", on: client)
            server.scheduler.advance(by: .seconds(1))
            // The transport may deliver the events of each copy on a thread of its own.
            await withTaskGroup(of: Void.self) { group in
                for copy in 0..<2 {
                    group.addTask {
                        if round % 3 == copy {
                            server.fail(copy, .transfer(.emptyReply))
                        } else {
                            server.answer(copy)
                        }
                    }
                }
            }
            #expect(try await recorder.finished().response?.status == .ok)
            await client.shutdown()
            #expect(client.snapshot.requests.isEmpty)
        }
    }
}
