import StreamsTesting
import Testing

@testable import StreamsHTTP

@Suite struct RateLimitTests {
    private let server = PermitServer()

    /// The numbers of exchanges that began in each second.
    private var curve: [Int] {
        let seconds = server.visits.value.map { Int($0.time.components.seconds) }
        return (0...(seconds.max() ?? 0)).map { second in seconds.count { $0 == second } }
    }

    @Test func sendsABurstAndThenAtTheRate() async throws {
        let client = server.client { $0.limits.rateLimit = RateLimit(requests: 2, burst: 5) }
        let recorders = server.start(13, on: client)
        #expect(server.paths.count == 5)
        #expect(client.permitState?.waitingForRate == 8)
        server.scheduler.advance(by: .seconds(10))
        #expect(curve == [6, 2, 2, 2, 1])
        #expect(server.paths == (0..<13).map { "/\($0)" })
        for index in recorders.indices { server.answer(index) }
        for recorder in recorders { try await recorder.finished() }
        #expect(server.scheduler.pendingCount == 0)
    }

    @Test func refusesWhatWouldWaitTooLong() async throws {
        let client = server.client {
            $0.limits.rateLimit = RateLimit(requests: 1, burst: 2, maxWait: .seconds(3))
        }
        let recorders = server.start(8, on: client)
        let errors = try await Array(recorders[5...]).failures()
        for error in errors {
            #expect(error.reason.name == "connection.rate-limited" && error.isRetryable && !error.mayHaveBeenProcessed)
            guard case .connection(.rateLimited(retryAfter: .seconds(4))) = error.reason else {
                Issue.record("\(error)")
                continue
            }
        }
        server.scheduler.advance(by: .seconds(3))
        #expect(curve == [2, 1, 1, 1])
        for recorder in recorders { recorder.cancel() }
    }

    @Test func obeysRetryAfter() async throws {
        let client = server.client { $0.limits.rateLimit = RateLimit(requests: 1, burst: 3) }
        let recorders = server.start(5, on: client)
        server.answer(0, .tooManyRequests, ["Retry-After": "20"])
        server.scheduler.advance(by: .seconds(19))
        #expect(server.paths.count == 3)
        #expect(client.permitState?.nextToken == .seconds(1))
        server.scheduler.advance(by: .seconds(2))
        #expect(server.visits.value.map(\.time) == [0, 0, 0, 20, 21].map { .seconds($0) })
        for recorder in recorders { recorder.cancel() }
    }

    @Test func obeysRateLimitFields() async throws {
        let client = server.client { $0.limits.rateLimit = RateLimit(requests: 1, burst: 10) }
        let first = server.start("/a", on: client)
        server.answer(0, .ok, ["RateLimit": #""default";r=2;t=60"#])
        try await first.finished()
        let others = server.start(4, on: client)
        #expect(server.paths.count == 3)
        server.answer(1, .ok, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"])
        server.scheduler.advance(by: .seconds(40))
        #expect(server.visits.value.map(\.time) == [0, 0, 0, 30, 31].map { .seconds($0) })
        for recorder in others { recorder.cancel() }
    }

    @Test func refusesThoseWhomAPauseKeepsTooLong() async throws {
        let client = server.client { $0.limits.rateLimit = RateLimit(requests: 1, maxWait: .seconds(10)) }
        let recorders = server.start(3, on: client)
        server.answer(0, .serviceUnavailable, ["Retry-After": "30"])
        let errors = try await recorders.failures()
        #expect(errors.map(\.name) == ["status", "connection.rate-limited", "connection.rate-limited"])
        #expect(server.paths == ["/0"] && server.scheduler.pendingCount == 0)
    }

    @Test func aRetryTakesAPermitOfItsOwn() async throws {
        let options = RequestOptions.with { $0.retry = RetryPolicy(maxRetries: 2, backoff: .constant(.zero)) }
        let client = server.client(options) { $0.limits.rateLimit = RateLimit(requests: 1, per: .seconds(5)) }
        let recorder = server.start("/a", on: client)
        server.fail(0, .connection(.refused))
        try await server.wait(for: recorder, toRetry: 1)
        server.scheduler.advance(by: .seconds(4))
        #expect(server.paths.count == 1)
        server.scheduler.advance(by: .seconds(1))
        #expect(server.paths.count == 2)
        server.answer(1)
        try await recorder.finished()
    }

    @Test func aThousandCancellationsLeakNothing() async throws {
        let client = server.client {
            $0.limits.rateLimit = RateLimit(requests: 1, maxWait: nil)
            $0.limits.maxConcurrentRequestsPerOrigin = 700
        }
        let recorders = server.start(1001, on: client)
        #expect(client.permitState?.waitingForRate == 699 && client.permitState?.waitingForPlace == 301)
        for recorder in recorders { recorder.cancel() }
        let state = try #require(client.permitState)
        #expect(state.running == 0 && state.waitingForRate == 0 && state.waitingForPlace == 0)
        #expect(server.scheduler.pendingCount == 0)
        let next = server.start("/next", on: client)
        server.scheduler.advance(by: .seconds(1))
        #expect(server.paths == ["/0", "/next"])
        next.cancel()
    }

    @Test func metricsTellTheWaitsApart() async throws {
        let monitor = WaitMonitor()
        let client = server.client {
            $0.limits.rateLimit = RateLimit(requests: 1, per: .seconds(8))
            $0.limits.maxConcurrentRequestsPerOrigin = 1
            $0.monitors = [monitor, LogMonitor { line in monitor.lines.update { $0.append(line) } }]
        }
        let recorders = server.start(4, on: client)
        server.scheduler.advance(by: .seconds(3))
        server.answer(0)
        try await recorders[0].finished()
        server.scheduler.advance(by: .seconds(5))
        server.answer(1)
        try await recorders[1].finished()
        server.scheduler.advance(by: .seconds(2))
        recorders[2].cancel()
        recorders[3].cancel()
        let waits = monitor.waits.value
        #expect(waits.map(\.concurrency) == [0, 3, 8, 10].map { .seconds($0) })
        #expect(waits.map(\.rateLimit) == [0, 5, 2, 0].map { .seconds($0) })
        let texts = monitor.lines.value.filter { $0.contains("finished") || $0.contains("cancelled") }
        #expect(!texts[0].contains("waited"))
        #expect(texts[1].hasSuffix("1 exchange, waited 5.000 s for the rate limit, waited 3.000 s for a place"))
    }
}

/// Collects the waits of requests as they end.
private final class WaitMonitor: EventMonitor {
    let waits = Watched<[HTTPRequest.Metrics.Waits]>([])
    let lines = Watched<[String]>([])

    func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: HTTPRequest.Metrics
    ) {
        waits.update { $0.append(metrics.waits) }
    }
}
