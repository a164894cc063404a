import StreamsHTTP
import StreamsLoopback
import Testing

/// Tunnels through a proxy, with credentials of the proxy.
@Suite(.needs(.nginx, .openssl, .gzip), .serialized, .reservesDescriptors) struct ProxyTunnelTests {
    private let transport = CurlTransport()

    private func request(
        _ nginx: Nginx, _ path: String = "/text", through proxy: RequestOptions.Connection.Proxy
    ) -> HTTPRequest {
        HTTPRequest(.get, nginx.secureURL(path)).settingOptions {
            $0.connection.trustRoots = .file(path: nginx.authority)
            $0.connection.proxy = proxy
        }
    }

    /// Performs requests one after the other, each with other credentials, on one transport.
    ///
    /// - Returns: The credentials of the tunnels that the proxy was asked for.
    private func tunnels(for credentials: [String?]) async throws -> [String] {
        let nginx = try await Nginx.shared.value
        let proxy = try TunnelProxy()
        let client = HTTPClient(configuration: .init(), transport: transport)
        for credentials in credentials {
            let request = request(nginx, through: .url(proxy.url(credentials)))
            #expect(try await client.response(for: request).status == .ok)
        }
        return proxy.credentials
    }

    @Test func opensATunnelForOtherCredentials() async throws {
        #expect(try await tunnels(for: ["a:1", "b:2"]) == ["a:1", "b:2"])
    }

    @Test func opensATunnelForOtherPassword() async throws {
        #expect(try await tunnels(for: ["a:1", "a:2"]) == ["a:1", "a:2"])
    }

    @Test func opensATunnelWithoutCredentials() async throws {
        #expect(try await tunnels(for: ["a:1", nil]) == ["a:1", ""])
    }

    @Test func usesNoTunnelOfOtherCredentialsAfterwards() async throws {
        let tunnels = try await tunnels(for: [nil, "b:2", nil, "b:2", nil])
        #expect(tunnels.filter { $0 == "" } == [""])
        #expect(tunnels.contains("b:2"))
    }

    @Test func reusesATunnelForTheSameCredentials() async throws {
        #expect(try await tunnels(for: ["a:1", "a:1", "a:1"]) == ["a:1"])
    }

    /// An HTTP/2 connection can be shared while it is in use.
    @Test(arguments: [RequestOptions.Connection.ProtocolPolicy.automatic, .http2])
    func joinsNoTunnelOfOtherCredentials(policy: RequestOptions.Connection.ProtocolPolicy) async throws {
        let nginx = try await Nginx.shared.value
        let server = try LoopbackServer()
        let gate = Gate()
        server.on("GET", "/proxy/held", .text("held").held(by: gate))
        // The first credentials have no tunnel to keep, since the proxy refuses it.
        let proxy = try TunnelProxy(refusing: 1)
        let client = HTTPClient(configuration: .init(), transport: transport)
        func request(_ path: String, _ credentials: String) -> HTTPRequest {
            self.request(nginx, path, through: .url(proxy.url(credentials))).settingOptions {
                $0.connection.protocolPolicy = policy
            }
        }
        _ = try await failure { () async throws(HTTPError) in try await client.response(for: request("/text", "a:1")) }
        async let held = client.response(for: request("/proxy/held?port=\(server.port)", "b:2"))
        try await server.waitForRequests(1)
        for _ in 0..<3 { #expect(try await client.response(for: request("/text", "a:1")).status == .ok) }
        gate.open()
        #expect(try await held.status == .ok)
        #expect(proxy.credentials == ["a:1", "b:2", "a:1"])
    }

    #if os(Linux)
    @Test func opensATunnelForTheEnvironmentsCredentials() async throws {
        let nginx = try await Nginx.shared.value
        let (url, authority) = (nginx.secureURL("/text"), nginx.authority)
        await #expect(processExitsWith: .success) { [url = url as String, authority = authority as String] in
            let proxy = try TunnelProxy()
            unsetenv("no_proxy")
            unsetenv("NO_PROXY")
            setenv("https_proxy", proxy.url("a:1"), 1)
            let client = HTTPClient.alone
            func status(_ proxy: RequestOptions.Connection.Proxy, _ method: HTTPMethod = .get) async throws
                -> HTTPStatus
            {
                let request = HTTPRequest(method, url).settingOptions {
                    $0.connection.trustRoots = .file(path: authority)
                    $0.connection.proxy = proxy
                }
                return try await client.response(for: request).status
            }
            try #require(try await status(.environment) == .ok)
            try #require(try await status(.url(proxy.url("b:2"))) == .ok)
            try #require(try await status(.environment) == .ok)
            try #require(proxy.credentials == ["a:1", "b:2"])
            setenv("https_proxy", proxy.url("c:3"), 1)
            // Another method, for which the environment has not been read yet.
            try #require(try await status(.environment, .head) == .ok)
            try #require(proxy.credentials == ["a:1", "b:2", "c:3"])
            setenv("no_proxy", "localhost", 1)
            try #require(try await status(.environment, .head) == .ok)
            try #require(proxy.credentials.count == 3)
        }
    }
    #endif
}
