import StreamsHTTP
import Testing

/// The repeat of an exchange whose reused connection broke, without sockets.
@Suite struct RepeatedExchangeTests {
    private static let lost = AnsweringTransport.Answer.failure(.transfer(.reusedConnectionLost))

    private func sent(on transport: AnsweringTransport) -> [String] {
        transport.requests.value.map { "\($0.method) \($0.url.path())" }
    }

    @Test func onlyTheExchangeAfterARedirectIsRepeated() async throws {
        let transport = AnsweringTransport { _, number in
            switch number {
            case 1: .reply(.seeOther, ["Location": "/b"])
            case 2: Self.lost
            default: .reply(.ok)
            }
        }
        let recording = try await EventRecorder.record(transport.client().events(for: HTTPRequest(.post, "/a")))
        #expect(sent(on: transport) == ["POST /a", "GET /b", "GET /b"])
        #expect(recording.outline == ["attempt 1", "retrying", "attempt 2", "head 200", "response 200"])
        #expect(recording.response?.redirects.map { $0.path() } == ["/a"])
    }

    @Test func thereIsOneRepeat() async throws {
        let transport = AnsweringTransport { _, _ in Self.lost }
        let error = try await failure { () throws(HTTPError) in
            try await transport.client().response(for: HTTPRequest(.get, "/a"))
        }
        #expect(sent(on: transport) == ["GET /a", "GET /a"] && error.attempt == 2)
        #expect(error.reason.outline == "transfer.reused-connection-lost")
    }

    @Test func thePolicyAndItsBudgetAreNotAsked() async throws {
        let transport = AnsweringTransport { _, number in number == 1 ? Self.lost : .reply(.ok) }
        let client = transport.client {
            $0.options.retry = .never
            $0.limits.retryBudget = RetryPolicy.Budget(share: 0, reserve: 0)
        }
        #expect(try await client.response(for: HTTPRequest(.delete, "/a")).status == .ok)
    }

    @Test func aPolicyMayNameAMethodThatIsNotIdempotent() async throws {
        let transport = AnsweringTransport { _, number in number == 1 ? Self.lost : .reply(.ok) }
        var policy = RetryPolicy(maxRetries: 1, backoff: .init(initial: .zero, maximum: .zero))
        policy.methods.insert(.post)
        let client = HTTPClient(
            configuration: .init(baseURL: URL(string: "http://h"), options: .with { $0.retry = policy }),
            transport: transport)
        #expect(try await client.response(for: HTTPRequest(.post, "/a")).status == .ok)
        #expect(sent(on: transport) == ["POST /a", "POST /a"])
    }
}
