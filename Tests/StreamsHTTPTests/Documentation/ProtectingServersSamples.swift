import StreamsHTTP
import StreamsHTTPTesting
import StreamsLoopback
import StreamsTesting
import Testing

/// The samples of the article "Protecting servers".
@Suite(.reservesDescriptors) struct ProtectingServersSamples {
    private func report(_ error: HTTPError) -> String {
        func report(_ error: HTTPError) -> String {
            guard case .connection(let connection) = error.reason, let delay = connection.retryAfter else {
                return error.name
            }
            return "try again in \(delay)"
        }
        return report(error)
    }

    @Test func policies() async throws {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        configuration.limits.maxConcurrentRequestsPerOrigin = 8
        configuration.limits.rateLimit = RateLimit(requests: 100, per: .seconds(1), burst: 20, maxWait: .seconds(5))
        configuration.limits.circuitBreaker = CircuitBreaker(
            failureRatio: 0.5, minimumCalls: 20, openDuration: .seconds(15))
        let client = HTTPClient(configuration: configuration)
        #expect(client.configuration.limits.rateLimit?.burst == 20)
    }

    @Test func limitsConnectionsToAServer() async throws {
        let server = try LoopbackServer()
        server.otherwise { _ in .text("x") }
        var configuration = HTTPClient.Configuration(baseURL: URL(string: server.url()))
        configuration.limits.maxConcurrentRequestsPerOrigin = 3
        configuration.limits.rateLimit = RateLimit(requests: 100_000)
        configuration.limits.circuitBreaker = CircuitBreaker()
        let client = HTTPClient(configuration: configuration)
        let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
            for number in 0..<200 {
                group.addTask { try await client.response(for: HTTPRequest(.get, "\(number)")).body }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bodies.count == 200 && bodies.allSatisfy { $0 == Data("x".utf8) })
        #expect(server.acceptedConnections <= 3)
    }

    @Test func stopsConnectingToADeadServer() async throws {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "http://127.0.0.1:1"))
        configuration.limits.circuitBreaker = CircuitBreaker(minimumCalls: 3, openDuration: .seconds(3600))
        // Time stands still: on a slow machine, five connections may take longer than the breaker's window.
        let client = HTTPClient(configuration: configuration, transport: CurlTransport(), scheduler: TestScheduler())
        var reports: [String] = []
        for _ in 0..<5 {
            do throws(HTTPError) {
                _ = try await client.response(for: HTTPRequest(.get, "/"))
            } catch {
                reports.append(report(error))
            }
        }
        #expect(reports.prefix(3) == ["connection.refused", "connection.refused", "connection.refused"])
        #expect(reports.suffix(2) == ["try again in 3600.0 seconds", "try again in 3600.0 seconds"])
    }

    @Test func ownRuleOfFailures() async throws {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com"))
        configuration.limits.circuitBreaker = CircuitBreaker { outcome in
            if case .response(.tooManyRequests) = outcome { true } else { CircuitBreaker.isServerFailure(outcome) }
        }

        configuration.limits.circuitBreaker?.minimumCalls = 1
        let mock = MockTransport()
        mock.on(.get, "/", MockResponse(.tooManyRequests))
        let client = HTTPClient(configuration: configuration, transport: mock)
        for name in ["status", "connection.circuit-open"] {
            let error = await #expect(throws: HTTPError.self) {
                try await client.response(for: HTTPRequest(.get, "/"))
            }
            #expect(error?.name == name)
        }
        #expect(mock.requests.count == 1)
    }

    @Test func samplesAreThoseOfTheArticle() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/ProtectingServers.md")
        #expect(article.samples.count == 3)
        try article.expectAll()
    }
}
