#if !canImport(CLibcurl)
import Foundation
import StreamsFoundation
import StreamsLoopback
import Testing

/// Tests of the clients that are given no transport in a package without libcurl.
@Suite(.timeLimit(.minutes(1))) struct DefaultTransportTests {
    private struct Service: HTTPService {
        let baseURL: URL

        func configure(_ configuration: inout HTTPClient.Configuration) {
            configuration.defaultHeaders = ["X-Service": "yes"]
        }
    }

    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.otherwise { .text($0.headers["X-Service"] ?? "no") }
    }

    @Test func clientOfAURLUsesASession() async throws {
        let client = HTTPClient(baseURL: URL(string: server.url("")))
        #expect(try await client.response(for: HTTPRequest(.get, "/")).body == Data("no".utf8))
        let literal = HTTPClient(baseURL: "https://example.com")
        #expect(literal.customMirror.descendant("transport") as? URLSessionTransport.Type != nil)
    }

    @Test func clientOfAServiceIsConfiguredByIt() async throws {
        let client = ServiceClient(Service(baseURL: try #require(URL(string: server.url("")))))
        #expect(try await client.response(for: HTTPRequest(.get, "/")).body == Data("yes".utf8))
    }
}
#endif
