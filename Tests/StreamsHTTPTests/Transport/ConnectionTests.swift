import StreamsHTTP
import StreamsLoopback
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The sharing, reuse and routes of connections.
@Suite(.reservesDescriptors) struct ConnectionTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func client(_ configuration: CurlTransport.Configuration) -> HTTPClient {
        server.client(transport: CurlTransport(configuration: configuration))
    }

    /// Has so many requests under way at once, and lets them end.
    private func ask(_ count: Int, _ client: HTTPClient, until condition: (LoopbackServer.Journal) -> Bool) async throws
    {
        let gate = Gate()
        server.on("GET", "/held", .text("hello").held(by: gate))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { _ = try await client.response(for: HTTPRequest(.get, "/held")) } }
            try await server.wait(until: condition)
            gate.open()
            try await group.waitForAll()
        }
    }

    @Test func noMoreIdleConnectionsAreKeptThanAreAllowed() async throws {
        let client = client(CurlTransport.Configuration(maxIdleConnections: 2))
        try await ask(5, client) { $0.requests.count == 5 }
        try await server.wait { $0.openConnections == 2 }
        #expect(server.acceptedConnections == 5)
        _ = try await client.response(for: HTTPRequest(.get, "/held"))
        #expect(server.acceptedConnections == 5)
    }

    @Test(.reservesDescriptors(60)) func connectionsAreKeptForAsManyExchangesAsThereWereAtOnce() async throws {
        let client = client(CurlTransport.Configuration())
        try await ask(20, client) { $0.requests.count == 20 }
        for _ in 0..<20 { _ = try await client.response(for: HTTPRequest(.get, "/held")) }
        try await ask(20, client) { $0.requests.count == 60 }
        #expect(server.acceptedConnections == 20)
    }

    @Test func idleConnectionsAreClosedInTime() async throws {
        let client = client(CurlTransport.Configuration(maxIdleTime: .milliseconds(50)))
        server.on("GET", "/", .text("hello"))
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        try await server.wait { $0.openConnections == 0 && $0.acceptedConnections == 1 }
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        #expect(server.acceptedConnections == 2)
    }

    /// Requests follow each other, so that the connection is never idle for long.
    @Test func connectionsAreClosedByTheirAge() async throws {
        let age = Duration.milliseconds(500)
        let client = client(CurlTransport.Configuration(maxConnectionAge: age))
        server.on("GET", "/", .text("hello").delayed(by: .milliseconds(20)))
        let start = ContinuousClock.now
        while server.acceptedConnections < 2, ContinuousClock.now < start + .seconds(60) {
            _ = try await client.response(for: HTTPRequest(.get, "/"))
            let connections = server.acceptedConnections
            // No request opens another connection before the first one has its age.
            if ContinuousClock.now < start + age { #expect(connections == 1) }
        }
        #expect(server.acceptedConnections == 2)
    }

    private func options(_ proxy: RequestOptions.Connection.Proxy) -> RequestOptions {
        RequestOptions.with { $0.connection.proxy = proxy }
    }

    @Test func aProxyIsAskedForTheWholeURL() async throws {
        server.otherwise { _ in .text("proxied") }
        let proxy = server.url("").replacing("//", with: "//user:word@")
        let request = HTTPRequest(.get, "http://name.invalid/a?b=c", options: options(.url(proxy)))
        let response = try await HTTPClient.alone.response(for: request)
        #expect(response.body == Data("proxied".utf8))
        let seen = try #require(server.requests.first)
        #expect(seen.target == "http://name.invalid/a?b=c")
        #expect(seen.headers["Proxy-Authorization"] == "Basic dXNlcjp3b3Jk")
    }

    @Test func aProxyServesAllOriginsOnOneConnection() async throws {
        server.otherwise { _ in .text("proxied") }
        let client = HTTPClient(configuration: .init(), transport: CurlTransport())
        for host in ["a.invalid", "b.invalid:81", "c.invalid"] {
            let request = HTTPRequest(.get, "http://\(host)/", options: options(.url(server.url(""))))
            #expect(try await client.response(for: request).body == Data("proxied".utf8))
        }
        #expect(server.acceptedConnections == 1)
        #expect(server.requests.map { $0.headers["Host"] } == ["a.invalid", "b.invalid:81", "c.invalid"])
    }

    @Test func eachRequestHasTheCredentialsOfItsProxy() async throws {
        server.otherwise { _ in .text("proxied") }
        let client = HTTPClient(configuration: .init(), transport: CurlTransport())
        for user in ["a", "b", nil, "a"] {
            let proxy = server.url("").replacing("//", with: user.map { "//\($0):@" } ?? "//")
            let request = HTTPRequest(.get, "http://name.invalid/", options: options(.url(proxy)))
            _ = try await client.response(for: request)
        }
        #expect(
            server.requests.map { $0.headers["Proxy-Authorization"] }
                == ["Basic YTo=", "Basic Yjo=", nil, "Basic YTo="])
    }

    @Test func theServerItselfIsNotSentTheCredentialsOfAProxy() async throws {
        server.otherwise { _ in .text("direct") }
        let proxy = RequestOptions.Connection.Proxy.url("http://u:p@name.invalid", except: ["127.0.0.1"])
        _ = try await HTTPClient.alone.response(for: HTTPRequest(.get, server.url("/a"), options: options(proxy)))
        let seen = try #require(server.requests.first)
        #expect(seen.target == "/a" && seen.headers["Proxy-Authorization"] == nil)
    }

    @Test func hostsAreExceptedFromAProxy() async throws {
        server.otherwise { _ in .text("direct") }
        let nowhere = "http://127.0.0.1:1"
        let direct = HTTPRequest(.get, server.url("/"), options: options(.url(nowhere, except: ["a", "127.0.0.1"])))
        #expect(try await HTTPClient.alone.response(for: direct).body == Data("direct".utf8))
        let proxied = HTTPRequest(.get, server.url("/"), options: options(.url(nowhere)))
        let error = try await failure { () async throws(HTTPError) in try await HTTPClient.alone.response(for: proxied)
        }
        #expect(error.reason.outline == "connection.refused")
        let unknown = HTTPRequest(.get, server.url("/"), options: options(.url("http://name.invalid")))
        let unresolved = try await failure { () async throws(HTTPError) in
            try await HTTPClient.alone.response(for: unknown)
        }
        #expect(unresolved.reason.outline == "connection.proxy-not-resolved")
    }

    /// libcurl would connect to the server itself.
    @Test(arguments: [
        "", " ", "http://", "http://u:p%0a@HOST", "http://u%00:p@HOST", "u:p%1F@HOST", "socks5://u%0D:p@HOST",
        "http://u:p\n@HOST", "http://u:p@HOST\0", "\u{7F}HOST", "http://u:p@a b", "ftp://u:p@HOST", "http://HOST:99999",
        "http://u:p@pröxy.invalid", "http://u:p@",
    ])
    func refusesAProxyThatCannotBeUsed(proxy: String) async throws {
        server.otherwise { _ in .text("direct") }
        let url = proxy.replacing("HOST", with: "127.0.0.1:\(server.port)")
        let request = HTTPRequest(.get, server.url("/"), options: options(.url(url)))
        let error = try await failure { () async throws(HTTPError) in try await HTTPClient.alone.response(for: request)
        }
        #expect(error.name == "invalid-request.connection-option" && !error.isRetryable)
        #expect(error.description.contains("proxy") && !error.description.contains("u:p"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["u:p%40%3A%25@", "u:@", ":p@", "u@", "@", ""])
    func usesAProxyWithOtherUserInformation(user: String) async throws {
        server.otherwise { _ in .text("proxied") }
        for scheme in ["http://", ""] {
            let proxy = "\(scheme)\(user)127.0.0.1:\(server.port)"
            let request = HTTPRequest(.get, "http://name.invalid/", options: options(.url(proxy)))
            #expect(try await HTTPClient.alone.response(for: request).body == Data("proxied".utf8))
        }
    }

    @Test func refusesAnExceptionWithAControlCharacter() async throws {
        let proxy = RequestOptions.Connection.Proxy.url(server.url(""), except: ["name.invalid\0", "other.invalid"])
        let request = HTTPRequest(.get, "http://name.invalid/", options: options(proxy))
        let error = try await failure { () async throws(HTTPError) in try await HTTPClient.alone.response(for: request)
        }
        #expect(error.name == "invalid-request.connection-option" && server.requests.isEmpty)
    }

    @Test func refusesAProxyOfTheEnvironmentThatCannotBeUsed() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.otherwise { _ in .text("direct") }
            unsetenv("no_proxy")
            unsetenv("NO_PROXY")
            for name in ["http_proxy", "all_proxy"] {
                unsetenv("http_proxy")
                setenv(name, "http://u:p%0a@127.0.0.1:\(server.port)", 1)
                let error = try await failure { () async throws(HTTPError) in
                    try await HTTPClient(configuration: .init(), transport: CurlTransport())
                        .response(for: HTTPRequest(.get, server.url("/")))
                }
                try #require(error.name == "invalid-request.connection-option")
                try #require(server.requests.isEmpty)
            }
        }
    }

    /// Paths that libcurl would cut, and those that it reports as a name that is not resolved.
    @Test func refusesPathsThatTheSystemWouldCut() async throws {
        let long = "/run/\(String(repeating: "a", count: 103))"
        let certificate = RequestOptions.Connection.ClientCertificate.self
        for connection in [
            RequestOptions.Connection.with { $0.unixSocketPath = long },
            RequestOptions.Connection.with { $0.unixSocketPath = "/run/a\0b" },
            RequestOptions.Connection.with { $0.unixSocketPath = "" },
            RequestOptions.Connection.with { $0.trustRoots = .file(path: "/run/a\0b") },
            RequestOptions.Connection.with {
                $0.clientCertificate = certificate.init(certificatePath: "/a\0b", keyPath: "/a")
            },
            RequestOptions.Connection.with {
                $0.clientCertificate = certificate.init(certificatePath: "/a", keyPath: "/a\0b")
            },
            RequestOptions.Connection.with {
                $0.clientCertificate = certificate.init(certificatePath: "/a", keyPath: "/a", password: "a\0b")
            },
        ] {
            let request = HTTPRequest(.get, server.url("/")).settingOptions { $0.connection = connection }
            let error = try await failure { () async throws(HTTPError) in
                try await HTTPClient.alone.response(for: request)
            }
            #expect(error.name == "invalid-request.connection-option" && !error.isRetryable)
            #expect(!error.description.contains("a\0b"))
        }
        #expect(server.acceptedConnections == 0)
    }

    @Test func aSOCKSProxyResolvesTheName() async throws {
        let proxy = try SOCKSServer()
        let request = HTTPRequest(.get, "http://name.invalid/a", options: options(.url(proxy.url)))
        #expect(try await HTTPClient.alone.response(for: request).body == Data("proxied".utf8))
        #expect(proxy.destination.value == "name.invalid:80")
    }

    @Test func theEnvironmentsProxyIsUsedUnlessThereShallBeNone() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.otherwise { _ in .text("proxied") }
            setenv("http_proxy", server.url(""), 1)
            let url = "http://name.invalid/"
            _ = try await HTTPClient.alone.response(for: HTTPRequest(.get, url))
            try #require(server.requests.count == 1)
            setenv("no_proxy", "127.0.0.1, invalid", 1)
            _ = try await HTTPClient.alone.response(for: HTTPRequest(.get, server.url("/a")))
            try #require(server.requests.map(\.target) == [url, "/a"])
            await #expect(throws: HTTPError.self) { try await HTTPClient.alone.response(for: HTTPRequest(.get, url)) }
            unsetenv("no_proxy")
            let direct = HTTPRequest(.get, url).settingOptions { $0.connection.proxy = .none }
            await #expect(throws: HTTPError.self) { try await HTTPClient.alone.response(for: direct) }
            try #require(server.requests.count == 2)
        }
    }

    /// A tunnel through a proxy that does not give one.
    @Test func aRefusedTunnelIsAFailureAndNoResponse() async throws {
        server.otherwise { _ in .text("no tunnel", status: 403) }
        let request = HTTPRequest(.get, "https://name.invalid/", options: options(.url(server.url(""))))
        let recording = try await EventRecorder.record(HTTPClient.alone.events(for: request))
        #expect(recording.outline == ["attempt 1"] && recording.failure?.reason.outline == "connection.refused")
    }
}
