import StreamsHTTP
import StreamsLoopback
import Testing

/// Rules for the addresses that connections are made to.
@Suite(.reservesDescriptors) struct AddressRuleTests {
    private let server: LoopbackServer
    private let client: HTTPClient
    /// The addresses that a rule was asked for.
    private let asked = Watched<[String]>([])

    init() throws {
        server = try LoopbackServer()
        server.otherwise { _ in .text("hello") }
        client = server.client()
    }

    private func request(_ url: String, _ rule: RequestOptions.Connection.AddressRule?) -> HTTPRequest {
        HTTPRequest(.get, url).settingOptions { $0.connection.allowsAddress = rule }
    }

    /// A rule that records what it is asked for.
    private func rule(
        _ allows: @escaping @Sendable (IPAddress) -> Bool
    ) -> RequestOptions.Connection.AddressRule {
        RequestOptions.Connection.AddressRule { [asked] address in
            asked.update { $0.append("\(address)") }
            return allows(address)
        }
    }

    private func reason(_ request: HTTPRequest) async throws -> String {
        try await failure { () async throws(HTTPError) in try await client.response(for: request) }.reason.outline
    }

    @Test func namesTheRefusedAddress() async throws {
        #expect(try await reason(request("/", .publicOnly)) == "connection.address-not-allowed(127.0.0.1)")
        #expect(server.acceptedConnections == 0)
    }

    @Test func refusesTheAddressOfAName() async throws {
        let reason = try await reason(request("http://localhost:\(server.port)/", .publicOnly))
        #expect(
            reason == "connection.address-not-allowed(127.0.0.1)" || reason == "connection.address-not-allowed(::1)")
        #expect(server.acceptedConnections == 0)
    }

    /// The host has two addresses on most systems.
    @Test func triesTheOtherAddressesOfAName() async throws {
        let url = "http://localhost:\(server.port)/"
        let response = try await client.response(for: request(url, rule { "\($0)" == "127.0.0.1" }))
        #expect(response.status == .ok && asked.value.contains("127.0.0.1"))
    }

    @Test func isNotRefusedIfAnAllowedAddressFails() async throws {
        #expect(
            try await reason(request("http://localhost:1/", rule { "\($0)" == "127.0.0.1" })) == "connection.refused")
    }

    @Test(arguments: ["http://0x7f.1", "http://2130706433", "http://[::ffff:127.0.0.1]", "http://0", "http://[::]"])
    func refusesOtherNotations(url: String) async throws {
        #expect(try await reason(request("\(url):\(server.port)/", .publicOnly)).contains("address-not-allowed"))
        #expect(server.acceptedConnections == 0)
    }

    @Test func checksRedirects() async throws {
        server.on("GET", "/away", .redirect(to: "http://127.0.0.2:\(server.port)/"))
        let reason = try await reason(request("/away", rule { "\($0)" != "127.0.0.2" }))
        #expect(reason == "connection.address-not-allowed(127.0.0.2)" && asked.value == ["127.0.0.1", "127.0.0.2"])
    }

    @Test func usesNoConnectionThatAnotherRuleAllowed() async throws {
        _ = try await client.response(for: request("/", nil))
        #expect(try await reason(request("/", .publicOnly)) == "connection.address-not-allowed(127.0.0.1)")
        #expect(server.requests.count == 1)
        _ = try await client.response(for: request("/", nil))
        #expect(server.acceptedConnections == 1)
    }

    @Test func leavesNoConnectionToAnotherRule() async throws {
        #expect(try await reason(request("/", .publicOnly)) == "connection.address-not-allowed(127.0.0.1)")
        for _ in 0..<2 {
            _ = try await client.response(for: request("/", nil))
            #expect(try await reason(request("/", .publicOnly)) == "connection.address-not-allowed(127.0.0.1)")
        }
        #expect(server.acceptedConnections == 1)
    }

    @Test func reusesConnectionsOfTheSameRule() async throws {
        let rule = rule { _ in true }
        for _ in 0..<3 { _ = try await client.response(for: request("/", rule)) }
        #expect(server.acceptedConnections == 1 && asked.value == ["127.0.0.1"])
    }

    @Test func asksForTheAddressOfTheProxy() async throws {
        let request = HTTPRequest(.get, "http://name.invalid/").settingOptions {
            $0.connection.proxy = .url(server.url(""))
            $0.connection.allowsAddress = rule { _ in true }
        }
        #expect(try await client.response(for: request).status == .ok)
        #expect(asked.value == ["127.0.0.1"])
    }

    @Test func allowsUnixSockets() async throws {
        let folder = try ScratchFolder()
        let server = try LoopbackServer(on: .unixSocket(path: "\(folder.path)/s"))
        server.on("GET", "/", .text("hello"))
        let request = HTTPRequest(.get, server.url("/")).settingOptions {
            $0.connection.unixSocketPath = "\(folder.path)/s"
            $0.connection.allowsAddress = .publicOnly
        }
        #expect(try await client.response(for: request).status == .ok)
    }

    @Test func isNotRetried() async throws {
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 3)
            $0.connection.allowsAddress = rule { _ in false }
        }
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/", options: options)))
        #expect(recording.outline == ["attempt 1"] && asked.value == ["127.0.0.1"])
    }

    @Test func equalsItsCopies() {
        let rule = RequestOptions.Connection.AddressRule { _ in true }
        let other = RequestOptions.Connection.AddressRule { _ in true }
        #expect(rule == rule && rule != other && rule != .publicOnly && Set([rule, rule, .publicOnly]).count == 2)
    }
}

/// HTTP/2 connections, which requests share while they are in use.
@Suite(.needs(.nginx, .openssl, .gzip), .serialized, .reservesDescriptors) struct AddressRuleHTTP2Tests {
    @Test(arguments: [RequestOptions.Connection.ProtocolPolicy.automatic, .http2])
    func joinsNoConnectionThatAnotherRuleAllowed(policy: RequestOptions.Connection.ProtocolPolicy) async throws {
        let nginx = try await Nginx.shared.value
        let server = try LoopbackServer()
        let gate = Gate()
        server.on("GET", "/proxy/held", .text("held").held(by: gate))
        let client = HTTPClient.alone
        func request(_ url: String, _ rule: RequestOptions.Connection.AddressRule?) -> HTTPRequest {
            HTTPRequest(.get, url).settingOptions {
                $0.connection.protocolPolicy = policy
                $0.connection.trustRoots = .file(path: nginx.authority)
                $0.connection.allowsAddress = rule
            }
        }
        // The first rule has no connection to keep.
        let first = RequestOptions.Connection.AddressRule { _ in false }
        let refused = "connection.address-not-allowed("
        func reason() async throws -> String {
            let text = request(nginx.secureURL("/text"), first)
            let error = try await failure { () async throws(HTTPError) in try await client.response(for: text) }
            return error.reason.outline
        }
        #expect(try await reason().hasPrefix(refused))
        async let held = client.response(for: request(nginx.secureURL("/proxy/held?port=\(server.port)"), nil))
        try await server.waitForRequests(1)
        #expect(try await reason().hasPrefix(refused))
        gate.open()
        #expect(try await held.status == .ok)
        #expect(try await reason().hasPrefix(refused))
    }
}
