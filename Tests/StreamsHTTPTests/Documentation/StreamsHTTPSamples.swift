import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The samples of the module's page.
@Suite struct StreamsHTTPSamples {
    private struct User: Codable, Sendable {
        let name: String
    }

    private struct GetUser: Endpoint {
        let id: Int
        var path: String { "/users/\(id)" }
        typealias Response = User
    }

    /// The first sample. It is compiled and never run, because it names a server on the network.
    private func makesARequest() async throws -> HTTPStatus {
        let client = HTTPClient(baseURL: "https://api.example.com/v1")
        let status = try await client.response(for: HTTPRequest(.get, "/projects")).status
        return status
    }

    @Test(arguments: [
        (try MockResponse.json(User(name: "Ada")), ["Ada"]),
        (MockResponse(.notFound), ["no such user"]),
        (MockResponse(.forbidden), ["the server answered 403"]),
        (.failure(.connection(.refused)), ["no answer: GET https://api.example.com/users/7: could not connect"]),
    ])
    func handlesErrors(response: MockResponse, expected: [String]) async {
        let mock = MockTransport()
        mock.on(.get, "/users/7", response)
        let client = HTTPClient(configuration: .init(baseURL: "https://api.example.com"), transport: mock)
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }

        do throws(HTTPError) {
            print(try await client.value(for: GetUser(id: 7)).name)
        } catch {
            switch error.status {
            case .notFound?: print("no such user")
            case let status?: print("the server answered \(status)")
            case nil: print("no answer: \(error)")
            }
        }
        #expect(printed == expected)
    }

    @Test func pageHasTheSamplesThatRun() throws {
        let page = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/StreamsHTTP.md")
        #expect(page.samples.count == 2)
        try page.expectAll()
    }
}
