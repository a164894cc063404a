import StreamsTesting
import Testing

@testable import StreamsHTTP

@Suite struct CircuitBreakerTests {
    private let server = PermitServer()
    private let breaker = CircuitBreaker(minimumCalls: 4, openDuration: .seconds(30))

    /// Sends a request per second to a server that fails until a time, and returns the letters of the results: `s` for
    /// success, `f` for a failure of the server and `-` for a refusal.
    private func curve(_ breaker: CircuitBreaker, failingUntil recovery: Int, seconds: Int) async throws -> String {
        let scheduler = TestScheduler()
        let time = Watched(0)
        let transport = AnsweringTransport { _, _ in
            time.value < recovery ? .reply(.internalServerError) : .reply(.ok)
        }
        let client = transport.client(scheduler) { $0.limits.circuitBreaker = breaker }
        var letters = ""
        for second in 0..<seconds {
            time.update { $0 = second }
            let recording = try await server.start("/", on: client).finished()
            switch recording.failure?.reason {
            case nil: letters += "s"
            case .connection(.circuitOpen)?: letters += "-"
            default: letters += "f"
            }
            scheduler.advance(by: .seconds(1))
        }
        return letters
    }

    @Test func sendsNothingWhileTheCircuitIsOpen() async throws {
        let short = CircuitBreaker(minimumCalls: 4, openDuration: .seconds(10))
        #expect(try await curve(short, failingUntil: 20, seconds: 40) == "ffff---------f---------sssssssssssssssss")
        let patient = CircuitBreaker(minimumCalls: 4, openDuration: .seconds(10), probes: 3)
        #expect(try await curve(patient, failingUntil: 14, seconds: 24) == "ffff---------f---------s")
    }

    @Test func refusesWithTheTimeOfTheNextProbe() async throws {
        let client = server.client { $0.limits.circuitBreaker = breaker }
        let recorders = server.start(4, on: client)
        for index in 0..<4 { server.fail(index, .connection(.refused)) }
        for recorder in recorders { try await recorder.finished() }
        server.scheduler.advance(by: .seconds(12))
        let error = try #require(try await server.start("/a", on: client).finished().failure)
        #expect(error.name == "connection.circuit-open" && error.isConnectionFailure && error.isRetryable)
        guard case .connection(let connection) = error.reason else { return }
        #expect(connection.retryAfter == .seconds(18))
        #expect("\(connection)" == "the server's circuit is open; the next may be sent after 18.0 seconds")
        #expect(client.permitState?.circuit == .open(for: .seconds(18)) && server.paths.count == 4)
    }

    @Test func limitsProbes() async throws {
        let client = server.client { $0.limits.circuitBreaker = breaker }
        let recorders = server.start(4, on: client)
        for index in 0..<4 { server.answer(index, .badGateway) }
        for recorder in recorders { try await recorder.finished() }
        server.scheduler.advance(by: .seconds(30))
        let probe = server.start("/probe", on: client)
        let second = try await server.start("/second", on: client).finished()
        #expect(second.failure?.reason.outline == "connection.circuit-open")
        probe.cancel()
        let third = server.start("/third", on: client)
        #expect(server.paths.suffix(2) == ["/probe", "/third"])
        server.answer(5)
        try await third.finished()
        #expect(client.permitState?.circuit == .closed)
    }

    @Test func refusesWaitingRequestsWhenItOpens() async throws {
        let client = server.client {
            $0.limits.circuitBreaker = breaker
            $0.limits.maxConcurrentRequestsPerOrigin = 4
        }
        let recorders = server.start(10, on: client)
        for index in 0..<4 { server.fail(index, .timeout(.idle)) }
        // The first three failures let others start.
        #expect(server.paths == (0..<7).map { "/\($0)" })
        for error in try await Array(recorders[7...]).failures() { #expect(error.name == "connection.circuit-open") }
        for recorder in recorders[4..<7] { recorder.cancel() }
        #expect(client.permitState?.running == 0)
    }

    @Test func countsTheTotalTimeoutButNoCancellation() async throws {
        let options = RequestOptions.with { $0.timeouts.total = .seconds(1) }
        let client = server.client(options) { $0.limits.circuitBreaker = breaker }
        let cancelled = server.start(4, on: client)
        for recorder in cancelled { recorder.cancel() }
        #expect(client.permitState?.calls == 0)
        let expired = server.start(4, on: client)
        server.scheduler.advance(by: .seconds(1))
        for recorder in expired { try await recorder.finished() }
        #expect(client.permitState?.circuit == .open(for: .seconds(30)))
    }

    @Test func aResponseInPiecesCountsAtItsHead() async throws {
        let client = server.client { $0.limits.circuitBreaker = breaker }
        let recorder = server.start("/a", on: client)
        let visit = server.visits.value[0]
        visit.receiver.receive(.head(HTTPResponse(status: .ok, body: (), url: visit.request.url)))
        #expect(client.permitState?.calls == 1 && client.permitState?.failures == 0)
        visit.receiver.receive(.failed(TransportFailure(.transfer(.bodyEndedEarly))))
        try await recorder.finished()
        #expect(client.permitState?.calls == 2 && client.permitState?.failures == 1)
    }

    @Test func aRetryWaitsForTheProbe() async throws {
        let options = RequestOptions.with { $0.retry = RetryPolicy(maxRetries: 5, backoff: .constant(.zero)) }
        let client = server.client(options) { $0.limits.circuitBreaker = breaker }
        let recorder = server.start("/a", on: client)
        for index in 0..<4 {
            server.fail(index, .connection(.refused))
            try await server.wait(for: recorder, toRetry: index + 1)
            server.scheduler.jump(by: .zero)
        }
        // The last retry is refused at once, and waits for the probe.
        #expect(server.paths.count == 4)
        try await server.wait(for: recorder, toRetry: 5)
        server.scheduler.jump(by: .seconds(29))
        #expect(server.paths.count == 4)
        server.scheduler.jump(by: .seconds(1))
        #expect(server.paths.count == 5)
        server.answer(4)
        let recording = try await recorder.finished()
        #expect(recording.retries.last?.delay == .seconds(30) && recording.failure == nil)
    }

    @Test func ownRulesDecideOnFailures() async throws {
        let client = server.client {
            $0.limits.circuitBreaker = CircuitBreaker(minimumCalls: 1) { outcome in
                if case .response(.notFound) = outcome { true } else { false }
            }
        }
        let first = server.start("/a", on: client)
        server.answer(0, .internalServerError)
        try await first.finished()
        #expect(client.permitState?.circuit == .closed)
        let second = server.start("/b", on: client)
        server.answer(1, .notFound)
        try await second.finished()
        #expect(client.permitState?.circuit == .open(for: .seconds(30)))
    }
}
