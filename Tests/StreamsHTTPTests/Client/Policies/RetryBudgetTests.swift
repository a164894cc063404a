import StreamsTesting
import Testing

@testable import StreamsHTTP

@Suite struct RetryBudgetTests {
    private let retryTracker = RetryBudgetTracker()
    private let budget = RetryPolicy.Budget(share: 0.2, reserve: 0.5)

    private func spend(_ origin: String = "a", at now: Duration) -> Int {
        var count = 0
        while retryTracker.consumeRetry(origin, budget, now: now) { count += 1 }
        return count
    }

    @Test func theReserveNeedsNoFirstAttempt() {
        #expect(spend(at: .zero) == 5)
        #expect(spend(at: .seconds(9)) == 0)
        #expect(spend(at: .seconds(10)) == 5)
    }

    @Test func retriesAreAShareOfFirstAttempts() {
        for _ in 0..<100 { retryTracker.recordAttempt("a", now: .seconds(3)) }
        #expect(spend(at: .seconds(4)) == 25)
        #expect(spend(at: .seconds(12)) == 0)
        // The attempts of old are past, and so are their retries in the next second.
        #expect(spend(at: .seconds(13)) == 0)
        #expect(spend(at: .seconds(14)) == 5)
    }

    @Test func originsHaveAccountsOfTheirOwn() {
        #expect(spend("a", at: .zero) == 5)
        #expect(spend("b", at: .zero) == 5)
    }

    @Test func manyOriginsAreForgotten() {
        for number in 0..<10_000 { retryTracker.recordAttempt("\(number)", now: .seconds(number)) }
        #expect(retryTracker.originCount <= 256)
    }

    @Test func originsAreSchemeHostAndPort() throws {
        let urls = ["http://H/a", "http://h:80/b", "https://h/", "http://h:81/"].compactMap { URL(string: $0) }
        #expect(Set(urls.map(\.origin)).count == 3)
    }

    /// A hundred requests that would all be repeated three times, to a server that is down.
    @Test func aServerInTroubleIsNotBuried() async throws {
        let transport = AnsweringTransport { _, _ in .failure(.connection(.refused)) }
        let scheduler = TestScheduler()
        let client = transport.client(scheduler) {
            $0.limits.retryBudget = RetryPolicy.Budget(share: 0.2, reserve: 1)
            $0.options.retry = RetryPolicy(maxRetries: 3, backoff: Backoff(initial: .milliseconds(1)))
        }
        let recorders = (0..<100).map { _ in EventRecorder<Void>() }
        for recorder in recorders { client.events(for: HTTPRequest(.get, "/")).subscribe(recorder) }
        // The transport answers at once: all that happens does so while the clock is moved.
        while scheduler.pendingCount > 0 { scheduler.jump(by: .milliseconds(100)) }
        for recorder in recorders { try await recorder.finished() }
        #expect(transport.requests.value.count == 130)
    }

    @Test(.timeLimit(.minutes(5))) func withoutABudgetThereIsNoBound() async throws {
        let transport = AnsweringTransport { _, number in number <= 500 ? .reply(503) : .reply(200) }
        let scheduler = TestScheduler()
        let client = transport.client(scheduler) {
            $0.limits.retryBudget = nil
            $0.options.retry = RetryPolicy(maxRetries: 1000, backoff: Backoff(initial: .zero))
        }
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")))
        // Attempts begin here or where events are delivered, and an alarm that has gone off is pending until it is taken off:
        // there is nothing to wait for from one to the next.
        while !recorder.recording.value.isComplete {
            scheduler.jump(by: .zero)
            await Task.yield()
        }
        #expect(recorder.recording.value.response?.status == .ok)
        #expect(transport.requests.value.count == 501)
    }

    private let unavailable = AnsweringTransport { _, _ in .reply(503, [:], "come back later") }

    /// A response that is none to fail with, but one to try again for.
    @Test(arguments: [true, false])
    func withoutAnotherAttemptAnAcceptableResponseIsOne(isTooLate: Bool) async throws {
        let client = unavailable.client {
            $0.limits.retryBudget = isTooLate ? nil : RetryPolicy.Budget(share: 0, reserve: 0)
            $0.options.validation = .acceptAll
            $0.options.maxErrorBodySize = 4
            $0.options.retry = RetryPolicy(
                maxRetries: 1, backoff: Backoff(initial: .seconds(1), maximum: .seconds(1)))
            $0.options.retry.maxElapsed = isTooLate ? .zero : nil
        }
        let get = HTTPRequest(.get, "/")
        #expect(try await client.response(for: get).body == Data("come back later".utf8))
        let recording = try await EventRecorder.record(client.events(for: get))
        #expect(recording.body == Data("come back later".utf8) && recording.failure == nil)
        #expect(unavailable.requests.value.count == 2)
    }

    /// The head alone looks like something that may pass; the body says otherwise.
    @Test func whatIsNotRepeatedOnASecondLookIsAResponse() async throws {
        let client = unavailable.client {
            $0.options.validation = ResponseValidation.acceptAll.inspectingBody { $0.headers["X-Bad"] == nil }
            $0.options.retry = RetryPolicy(maxRetries: 1)
            $0.options.retry.shouldRetry = { $0.response?.body.isEmpty == true }
        }
        let get = HTTPRequest(.get, "/")
        #expect(try await client.response(for: get).body == Data("come back later".utf8))
        let recording = try await EventRecorder.record(client.events(for: get))
        #expect(recording.body == Data("come back later".utf8) && recording.response?.status == .serviceUnavailable)
        #expect(unavailable.requests.value.count == 2)
    }
}
