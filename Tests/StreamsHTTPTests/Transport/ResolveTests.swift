import StreamsHTTP
import StreamsLoopback
import Testing

/// Addresses that replace those of name servers.
@Suite(.reservesDescriptors) struct ResolveTests {
    private let server: LoopbackServer
    private let client: HTTPClient
    private let here: IPAddress
    /// An address without a listener.
    private let elsewhere: IPAddress

    init() throws {
        server = try LoopbackServer()
        server.otherwise { _ in .text("hello") }
        client = server.client()
        here = try #require(IPAddress("127.0.0.1"))
        elsewhere = try #require(IPAddress("127.0.0.2"))
    }

    private func request(
        _ host: String, _ resolve: [String: IPAddress], proxy: RequestOptions.Connection.Proxy = .environment,
        allowsAddress: RequestOptions.Connection.AddressRule? = nil
    ) -> HTTPRequest {
        HTTPRequest(.get, "http://\(host):\(server.port)/").settingOptions {
            $0.connection.proxy = proxy
            $0.connection.resolve = resolve
            $0.connection.allowsAddress = allowsAddress
        }
    }

    private func reason(_ request: HTTPRequest) async throws -> String {
        try await failure { () async throws(HTTPError) in try await client.response(for: request) }.reason.outline
    }

    @Test(arguments: ["name.invalid", "NAME.INVALID"])
    func connectsToTheAddress(name: String) async throws {
        let resolve = ["other.invalid": elsewhere, name: here]
        #expect(try await client.response(for: request("name.invalid", resolve)).status == .ok)
        #expect(server.requests.first?.headers["Host"] == "name.invalid:\(server.port)")
        #expect(try await client.response(for: request("name.invalid", resolve)).status == .ok)
        #expect(server.acceptedConnections == 1)
    }

    @Test func affectsNoOtherRequest() async throws {
        #expect(try await client.response(for: request("name.invalid", ["name.invalid": here])).status == .ok)
        #expect(try await reason(request("name.invalid", [:])) == "connection.host-not-resolved")
        #expect(try await reason(request("name.invalid", ["name.invalid": elsewhere])) == "connection.refused")
        #expect(server.requests.count == 1)
    }

    @Test func isAffectedByNoOtherRequest() async throws {
        #expect(try await client.response(for: request("localhost", [:])).status == .ok)
        #expect(try await reason(request("localhost", ["localhost": elsewhere])) == "connection.refused")
        #expect(try await client.response(for: request("localhost", [:])).status == .ok)
        #expect(server.acceptedConnections == 1)
    }

    @Test(arguments: ["", ":", "::", "[::1]", "name.invalid:80", "*", "*.invalid", "a b", "a/b", "a\0b", "ex℀mple"])
    func refusesWhatIsNoName(name: String) async throws {
        let error = try await failure { () async throws(HTTPError) in
            try await client.response(for: request("localhost", [name: elsewhere, "other.invalid": here]))
        }
        #expect(error.name == "invalid-request.connection-option" && !error.isRetryable)
        #expect(error.description.contains("no host is named \(name.debugDescription)"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["bücher.invalid", "B%C3%9CCHER.invalid", "xn--bcher-kva.invalid"])
    func takesNamesInOtherScripts(name: String) async throws {
        #expect(try await client.response(for: request(name, ["Bücher.invalid": here])).status == .ok)
        #expect(server.requests.first?.headers["Host"] == "xn--bcher-kva.invalid:\(server.port)")
    }

    @Test func exceptsNamesInOtherScriptsFromAProxy() async throws {
        let proxy = RequestOptions.Connection.Proxy.url("http://127.0.0.1:1", except: ["bücher.invalid"])
        let request = request("bücher.invalid", ["bücher.invalid": here], proxy: proxy)
        #expect(try await client.response(for: request).status == .ok)
    }

    @Test func isCheckedByTheAddressRule() async throws {
        let address = try #require(IPAddress("::1"))
        let rule = RequestOptions.Connection.AddressRule { _ in false }
        let request = request("name.invalid", ["name.invalid": address], allowsAddress: rule)
        #expect(try await reason(request) == "connection.address-not-allowed(::1)")
    }

    @Test func asksAProxyForATunnelToTheAddress() async throws {
        let proxy = try TunnelProxy()
        let request = request("name.invalid", ["name.invalid": here], proxy: .url(proxy.url()))
        #expect(try await client.response(for: request).status == .ok)
        #expect(proxy.tunnels.value.map(\.authority) == ["127.0.0.1:\(server.port)"])
    }
}

/// The certificate of an overridden name.
@Suite(.needs(.nginx, .openssl, .gzip), .serialized, .reservesDescriptors) struct ResolveTLSTests {
    @Test func verifiesTheName() async throws {
        let nginx = try await Nginx.shared.value
        let here = try #require(IPAddress("127.0.0.1"))
        func request(_ host: String) -> HTTPRequest {
            HTTPRequest(.get, nginx.secureURL("/text", host: host)).settingOptions {
                $0.connection.trustRoots = .file(path: nginx.authority)
                $0.connection.resolve = [host: here]
            }
        }
        let client = HTTPClient.alone
        #expect(try await client.response(for: request("localhost")).status == .ok)
        let error = try await failure { () async throws(HTTPError) in
            try await client.response(for: request("name.invalid"))
        }
        #expect(error.reason.outline == "connection.untrusted-certificate")
    }
}
