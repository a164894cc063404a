import StreamsLoopback
import Testing

@testable import StreamsHTTP

@Suite(.serialized, .reservesDescriptors) struct SharedTransportTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.otherwise { _ in .text("x") }
    }

    private func client(_ change: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: server.url("")))
        change(&configuration)
        return HTTPClient(configuration: configuration)
    }

    @Test func clientsShareConnections() async throws {
        for client in [client(), client(), client { $0.options.retry = RetryPolicy(maxRetries: 1) }] {
            _ = try await client.response(for: HTTPRequest(.get, "/"))
        }
        #expect(server.acceptedConnections == 1)
    }

    @Test func aClientMayHaveATransportOfItsOwn() async throws {
        let other = HTTPClient(configuration: client().configuration, transport: CurlTransport())
        for client in [client(), other] { _ = try await client.response(for: HTTPRequest(.get, "/")) }
        #expect(server.acceptedConnections == 2)
    }

    @Test func clientsWithOtherOptionsShareTheTransport() {
        let changes: [(inout RequestOptions.Connection) -> Void] = [
            { _ in }, { $0.allowsAddress = .publicOnly }, { $0.proxy = .url("http://user:password@h:1") },
        ]
        for change in changes {
            let client = client { change(&$0.options.connection) }
            #expect(client.transport as? CurlTransport === CurlTransport.shared)
        }
    }

    @Test func aShutdownLeavesOtherClientsAlone() async throws {
        let (first, second) = (client(), client())
        for client in [first, second] { _ = try await client.response(for: HTTPRequest(.get, "/")) }
        await first.shutdown()
        _ = try await second.response(for: HTTPRequest(.get, "/"))
        #expect(server.acceptedConnections == 1)
    }
}
