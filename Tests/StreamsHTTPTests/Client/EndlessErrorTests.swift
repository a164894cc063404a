import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// Errors whose body has no end, as responses to requests of each kind.
@Suite(.reservesDescriptors) struct EndlessErrorTests {
    private let server: LoopbackServer
    private let client: HTTPClient
    private let get = HTTPRequest(.get, "/")

    init() throws {
        server = try LoopbackServer()
        client = server.client().configuring {
            $0.options.timeouts.errorBody = .milliseconds(100)
            $0.options.retry = RetryPolicy(maxRetries: 1, backoff: .constant(.zero))
        }
    }

    private static func endless(_ status: Int) -> Reply {
        Reply(status, body: .generated(1 << 20)).failing(
            with: .drip(from: .inBody(after: 3), bytes: 1, every: .milliseconds(20)))
    }

    private func expectStatus(
        _ status: HTTPStatus, of error: HTTPError, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let body = error.response?.body ?? Data()
        #expect(error.status == status, sourceLocation: sourceLocation)
        #expect(body.count >= 3 && GeneratedBytes.matches(body, at: 0), sourceLocation: sourceLocation)
    }

    @Test func openingAWebSocketFails() async throws {
        server.on("GET", "/", Self.endless(403))
        let error = try await failure { () async throws(HTTPError) in
            for try await _ in client.webSocket(for: get).messages {}
        }
        expectStatus(.forbidden, of: error)
    }

    @Test func streamedResponseFails() async throws {
        server.on("GET", "/", Self.endless(404))
        let error = try await failure { () async throws(HTTPError) in _ = try await client.streamedResponse(for: get) }
        expectStatus(.notFound, of: error)
    }

    @Test(arguments: [404, 503]) func downloadFailsOrIsRetried(status: Int) async throws {
        server.on("GET", "/", Self.endless(status), .generated(1000))
        let folder = try ScratchFolder()
        let path = "\(folder.path)/file"
        do {
            _ = try await client.downloadFile(for: get, to: path)
            #expect(status == 503)
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(GeneratedBytes.bytes(0..<1000)))
        } catch let error as HTTPError {
            expectStatus(.notFound, of: error)
            #expect(try folder.names.isEmpty)
        }
        #expect(server.requests.count == (status == 503 ? 2 : 1))
    }

    @Test func credentialsAreRenewed() async throws {
        let store = InMemoryCredentialStore()
        store.update([Accounts.accessTokenKey: "old", Accounts.refreshTokenKey: "r1"])
        server.on("POST", "/refresh", .json(#"{"access":"new"}"#))
        server.on("GET", "/") {
            $0.headers["Authorization"] == "Bearer new" ? .text("hello") : Self.endless(401)
        }
        let client = client.configuring { $0.authorization = Accounts(store: store) }
        #expect(try await client.response(for: get).body == Data("hello".utf8))
        #expect(server.requests.map(\.path) == ["/", "/refresh", "/"])
    }

    @Test func pageIsRetried() async throws {
        server.on("GET", "/", Self.endless(503), .text("page"))
        var bodies: [Data] = []
        for try await page in client.linkedPages(for: get).values { bodies.append(page.response.body) }
        #expect(bodies == [Data("page".utf8)])
    }

    @Test func pollIsRepeated() async throws {
        server.on("GET", "/", Self.endless(503), .text("fine"))
        let options = FeedOptions(reconnection: .init(backoff: .constant(.milliseconds(1))))
        let polls = client.polls(for: get, every: .milliseconds(1), options: options)
        let first = try await polls.values.first { _ in true }
        #expect(first?.body == Data("fine".utf8) && server.requests.count >= 2)
    }
}
