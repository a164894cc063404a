import StreamsHTTP
import StreamsLoopback
import Testing

/// Credentials on the wire: which origins receive them.
@Suite(.serialized, .reservesDescriptors) struct CredentialScopeTests {
    private let home: LoopbackServer
    private let elsewhere: LoopbackServer

    init() throws {
        home = try LoopbackServer()
        elsewhere = try LoopbackServer()
        for server in [home, elsewhere] { server.otherwise { _ in .text("well") } }
    }

    private var defaults: HTTPHeaders {
        var headers: HTTPHeaders = ["Authorization": "Bearer x", "Cookie": "a=b", "x-api-key": "k", "X-Plain": "kept"]
        headers.add("X-Key", "secret", isSensitive: true)
        return headers
    }

    private func expectSecrets(
        _ isExpected: Bool, in request: RecordedRequest?, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let headers = try #require(request, sourceLocation: sourceLocation).headers
        for (name, value) in [
            ("Authorization", "Bearer x"), ("Cookie", "a=b"), ("X-API-Key", "k"), ("X-Key", "secret"),
        ] {
            #expect(headers[name] == (isExpected ? value : nil), sourceLocation: sourceLocation)
        }
        #expect(headers["X-Plain"] == "kept", sourceLocation: sourceLocation)
    }

    // MARK: Default fields

    @Test func keepsSensitiveDefaultsToTheBaseURL() async throws {
        let client = home.client(headers: defaults)
        for target in ["/relative", home.url("/absolute"), elsewhere.url("/")] {
            _ = try await client.response(for: HTTPRequest(.get, target))
        }
        for request in home.requests { try expectSecrets(true, in: request) }
        #expect(home.requests.count == 2)
        try expectSecrets(false, in: elsewhere.requests.last)
    }

    @Test func sendsSensitiveDefaultsToNamedOrigins() async throws {
        let named = try LoopbackServer()
        named.otherwise { _ in .text("well") }
        named.on("GET", "/on", .redirect(to: elsewhere.url("/")))
        home.on("GET", "/via", .redirect(to: named.url("/on")))
        let client = home.client(headers: defaults).configuring {
            $0.credentialOrigins = [named.url("/any/path")].compactMap { URL(string: $0) }
        }
        _ = try await client.response(for: HTTPRequest(.get, named.url("/")))
        try expectSecrets(true, in: named.requests.last)
        _ = try await client.response(for: HTTPRequest(.get, "/via"))
        try expectSecrets(true, in: named.requests.last)
        try expectSecrets(false, in: elsewhere.requests.last)
    }

    @Test func refusesSensitiveDefaultsWithoutAnOrigin() async throws {
        let client = home.client(headers: defaults).configuring { $0.baseURL = nil }
        await expect(refusing: .credentialsWithoutOrigin, client: client) { HTTPRequest(.get, home.url("/")) }
        #expect(home.requests.isEmpty)
        // A request that sets all of them itself uses none of the client's.
        _ = try await client.response(for: HTTPRequest(.get, home.url("/"), headers: defaults))
        try expectSecrets(true, in: home.requests.last)
        let named = client.configuring { $0.credentialOrigins = [home.url("")].compactMap { URL(string: $0) } }
        for server in [home, elsewhere] { _ = try await named.response(for: HTTPRequest(.get, server.url("/"))) }
        try expectSecrets(true, in: home.requests.last)
        try expectSecrets(false, in: elsewhere.requests.last)
    }

    @Test func refusesAbsoluteTargets() async throws {
        let client = home.client().configuring { $0.allowsAbsoluteTargets = false }
        let targets = [elsewhere.url("/"), home.url("/"), "http://u:p@\(elsewhere.url("/").dropFirst(7))"]
        for target in targets {
            await expect(refusing: .absoluteTarget(target.replacing("u:p@", with: "")), client: client) {
                HTTPRequest(.get, target)
            }
        }
        #expect(home.requests.isEmpty && elsewhere.requests.isEmpty)
        #expect(try await client.response(for: HTTPRequest(.get, "/")).status == .ok)
    }

    @Test func keepsMarksOfDefaultsThatAreDropped() async throws {
        home.on("GET", "/", .redirect(to: elsewhere.url("/")))
        let client = elsewhere.client(headers: defaults)
        let own: HTTPHeaders = ["X-Key": "own"]
        _ = try await client.response(for: HTTPRequest(.get, home.url("/"), headers: own))
        #expect(home.requests.last?.headers["X-Key"] == "own" && home.requests.last?.headers["Cookie"] == nil)
        #expect(elsewhere.requests.last?.headers["X-Key"] == nil)
    }

    @Test func sendsFieldsOfTheRequestAnywhere() async throws {
        let client = home.client(headers: ["Authorization": "Bearer default", "X-Plain": "default"])
        _ = try await client.response(for: HTTPRequest(.get, elsewhere.url("/"), headers: defaults))
        try expectSecrets(true, in: elsewhere.requests.last)
    }

    // MARK: Interceptors

    @Test func dropsCredentialsOfInterceptorsAfterARedirect() async throws {
        let secrets = defaults
        let interceptor = Hook(onAdapt: { request, _ in
            var request = request
            request.headers = secrets
            return request
        })
        home.on("GET", "/from", .redirect(to: elsewhere.url("/to")))
        let client = home.client().configuring { $0.interceptors = [interceptor] }
        _ = try await client.response(for: HTTPRequest(.get, "/from"))
        try expectSecrets(true, in: home.requests.last)
        try expectSecrets(false, in: elsewhere.requests.last)
        _ = try await client.response(for: HTTPRequest(.get, elsewhere.url("/")))
        try expectSecrets(false, in: elsewhere.requests.last)
        let withoutBase = client.configuring { $0.baseURL = nil }
        _ = try await withoutBase.response(for: HTTPRequest(.get, home.url("/from")))
        try expectSecrets(true, in: home.requests.last)
        try expectSecrets(false, in: elsewhere.requests.last)
    }

    @Test func dropsAllCredentialsIfAnInterceptorChangesTheOrigin() async throws {
        let url = try #require(URL(string: elsewhere.url("/mirror")))
        let interceptor = Hook(onAdapt: { request, context in
            guard context.redirects.isEmpty else { return request }
            var request = request
            request.url = url
            return request
        })
        elsewhere.on("GET", "/mirror", .redirect(to: "/next"))
        let client = home.client().configuring { $0.interceptors = [interceptor] }
        let request = HTTPRequest(.get, "/", headers: defaults)
        _ = try await client.response(for: request)
        #expect(elsewhere.requests.map(\.path) == ["/mirror", "/next"])
        for request in elsewhere.requests { try expectSecrets(false, in: request) }
        _ = try await client.configuring { $0.credentialOrigins = [url] }.response(for: request)
        for request in elsewhere.requests[2...] { try expectSecrets(true, in: request) }
    }
}
