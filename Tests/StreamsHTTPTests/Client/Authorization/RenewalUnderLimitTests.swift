import StreamsHTTP
import StreamsLoopback
import Testing

/// Credentials are renewed also where the client has no room for another request, or takes none any more.
@Suite(.serialized, .reservesDescriptors) struct RenewalUnderLimitTests {
    private struct Login: AuthorizationEndpoint {
        let path = "/login"
        typealias Response = Greeting
        func accessToken(from response: Greeting) -> String? { response.text }
        func refreshToken(from response: Greeting) -> String? { "refresh" }
    }

    private struct Refresh: ReauthorizationEndpoint {
        let path = "/refresh"
        typealias Response = Greeting
        init(refreshToken: String) {}
        func accessToken(from response: Greeting) -> String? { response.text }
        func refreshToken(from response: Greeting) -> String? { nil }
    }

    private struct Account: Endpoint {
        let path = "/account"
    }

    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        server.on("GET", "/login", .json(#"{"text":"old"}"#))
        server.on("GET", "/account") { request in
            request.headers["Authorization"] == "Bearer new" ? .text("well") : .status(401)
        }
        var configuration = HTTPClient.Configuration(
            baseURL: URL(string: server.url("")), authorization: OAuthAuthorization<Login, Refresh>())
        configuration.limits.maxConcurrentRequests = 2
        client = HTTPClient(configuration: configuration)
    }

    @Test func asManyAsThereMayBeWaitForIt() async throws {
        server.on("GET", "/refresh", .json(#"{"text":"new"}"#))
        _ = try await client.value(for: Login())
        let client = client
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 1...10 { group.addTask { try await client.value(for: Account()) } }
            for try await body in group { #expect(body == Data("well".utf8)) }
        }
        #expect(server.requests.filter { $0.path == "/refresh" }.count == 1)
    }

    @Test func theClientIsBeingShutDown() async throws {
        let gate = Gate()
        server.on("GET", "/refresh", .json(#"{"text":"new"}"#).held(by: gate))
        _ = try await client.value(for: Login())
        let recorder = EventRecorder(of: client.events(for: Account()))
        try await server.wait { $0.requests.contains { $0.path == "/refresh" } }
        let client = client
        let end = Task { await client.shutdown() }
        var isRefused = false
        while !isRefused {
            let probe = EventRecorder(of: client.events(for: HTTPRequest(.get, "/login").requiringAuthorization(false)))
            if case .invalidRequest(.clientShutDown) = try await probe.finished().failure?.reason { isRefused = true }
        }
        gate.open()
        await end.value
        #expect(recorder.recording.value.response?.status == .ok)
    }
}
