import StreamsHTTP
import Testing

/// The configuration that a client's requests share.
@Suite struct ConfigurationTests {
    private func target(
        _ request: HTTPRequest, defaultQuery: HTTPQuery = [HTTPQuery.Item("key", "k"), HTTPQuery.Item("page", "1")]
    ) async throws -> String {
        let transport = ScriptedTransport { request, receiver in
            receiver.receive(.head(HTTPResponse(status: .ok, body: (), url: request.url)))
            receiver.receive(.finished)
            return ScriptedExchange()
        }
        let configuration = HTTPClient.Configuration(
            baseURL: URL(string: "http://h/v1?base=0"), defaultQuery: defaultQuery)
        let client = HTTPClient(configuration: configuration, transport: transport)
        return try await client.response(for: request).url.absoluteString
    }

    @Test func defaultParametersAreAdded() async throws {
        #expect(try await target(HTTPRequest(.get, "/a")) == "http://h/v1/a?key=k&page=1")
        #expect(try await target(HTTPRequest(.get, "a?b=c#d")) == "http://h/v1/a?b=c&key=k&page=1")
        #expect(try await target(HTTPRequest(.get, "/a"), defaultQuery: []) == "http://h/v1/a?base=0")
    }

    @Test func theRequestsOwnParametersWin() async throws {
        let request = HTTPRequest(.get, "/a", query: [HTTPQuery.Item("page", "7"), HTTPQuery.Item("page", "8")])
        #expect(try await target(request) == "http://h/v1/a?page=7&page=8&key=k")
        #expect(try await target(HTTPRequest(.get, "/a?k%65y=own")) == "http://h/v1/a?k%65y=own&page=1")
    }

    @Test func anAbsoluteURLIsTakenAsItIs() async throws {
        #expect(try await target(HTTPRequest(.get, "http://other/a?b=c")) == "http://other/a?b=c")
    }

    @Test func anEmptyTargetIsTheBaseItself() async throws {
        #expect(try await target(HTTPRequest(.get, "")) == "http://h/v1?key=k&page=1")
    }
}
