import StreamsHTTP
import StreamsLoopback
import Testing

/// The connections that requests by HTTP/2 share.
@Suite(.reservesDescriptors) struct ConnectionSharingTests {
    /// The number of the setting SETTINGS_MAX_CONCURRENT_STREAMS.
    private static let maxConcurrentStreams: UInt16 = 3

    private func connections(of client: HTTPClient, to server: LoopbackServer) throws -> OriginConnections {
        let name = "http://127.0.0.1:\(server.port)"
        return try #require(client.snapshot.origins.first { $0.name == name }?.connections)
    }

    // MARK: One connection

    @Test(.reservesDescriptors(260)) func manyRequestsShareAConnection() async throws {
        let (server, gate) = (try LoopbackServer(), Gate())
        server.serveNumberedBodies { $0.held(by: gate) }
        let client = server.http2Client()
        async let bodies: Void = client.expectNumberedBodies(0..<100)
        try await server.waitForRequests(100)
        gate.open()
        try await bodies
        #expect(server.acceptedConnections == 1 && server.http2Connections.map(\.maxOpenStreams) == [100])
        #expect(server.journal.rejections == [])
    }

    @Test func requestsInTurnReuseAConnection() async throws {
        let server = try LoopbackServer()
        server.serveNumberedBodies()
        let client = server.http2Client()
        for number in 0..<5 { try await client.expectNumberedBodies(number..<number + 1) }
        #expect(server.requests.map(\.stream) == [1, 3, 5, 7, 9] && server.acceptedConnections == 1)
        #expect(server.requests.allSatisfy { $0.version == "HTTP/2" })
        let idle = try connections(of: client, to: server)
        #expect(idle.version == .http2 && idle.open == 1 && idle.idle == 1 && idle.exchanges == 0)
        #expect(idle.opened == 1 && idle.reused == 4 && idle.connecting == 0)
    }

    @Test func exchangesOfAConnectionAreCounted() async throws {
        let (server, gate) = (try LoopbackServer(), Gate())
        server.on("GET", "/held", Reply(body: .chunked("a", .hold(gate))))
        let client = server.http2Client()
        let recorders = (0..<5).map { _ in client.subscribe(HTTPRequest(.get, "/held")) }
        for recorder in recorders { try await recorder.wait(for: "a chunk") { $0.chunkCount == 1 } }
        let busy = try connections(of: client, to: server)
        #expect(busy.open == 1 && busy.idle == 0 && busy.exchanges == 5 && busy.opened == 1 && busy.reused == 4)
        gate.open()
        for recorder in recorders { #expect(try await recorder.finished().body == Data("a".utf8)) }
        let idle = try connections(of: client, to: server)
        #expect(idle.open == 1 && idle.idle == 1 && idle.exchanges == 0)
    }

    @Test func metricsTellWhetherAConnectionIsReused() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .text("hello"))
        let monitor = MetricsMonitor()
        let client = server.http2Client().configuring { $0.monitors = [monitor] }
        for _ in 0..<2 { _ = try await client.response(for: HTTPRequest(.get, "/")) }
        let metrics = try await monitor.metrics.wait(for: "the metrics") { $0.count == 2 }
        let measured = metrics.compactMap { $0.exchanges.last?.measured }
        #expect(measured.map(\.isConnectionReused) == [false, true] && measured.map(\.version) == [.http2, .http2])
    }

    // MARK: Several connections

    @Test func originsHaveTheirOwnConnections() async throws {
        let servers = try (0..<2).map { _ in try LoopbackServer() }
        for (number, server) in servers.enumerated() { server.on("GET", "/", .text("\(number)")) }
        let client = HTTPClient(
            configuration: .init(options: .http2 { $0.timeouts.idle = .seconds(300) }), transport: CurlTransport())
        for _ in 0..<2 {
            for (number, server) in servers.enumerated() {
                #expect(await client.outcome(of: server.url("/")) == "\(number)")
            }
        }
        #expect(servers.map(\.acceptedConnections) == [1, 1])
    }

    @Test func socketsHaveTheirOwnConnections() async throws {
        let folder = try ScratchFolder()
        let paths = ["a", "b"].map { "\(folder.path)/\($0)" }
        let servers = try paths.map { try LoopbackServer(on: .unixSocket(path: $0)) }
        for (path, server) in zip(paths, servers) { server.on("GET", "/", .text(path)) }
        let client = HTTPClient.alone
        for path in paths + paths {
            let options = RequestOptions.http2 { $0.connection.unixSocketPath = path }
            #expect(await client.outcome(of: "http://localhost/", options: options) == path)
        }
        #expect(servers.map(\.acceptedConnections) == [1, 1])
    }

    /// A change of the options of a connection.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apply: @Sendable (inout RequestOptions.Connection) -> Void

        init(_ name: String, _ apply: @escaping @Sendable (inout RequestOptions.Connection) -> Void) {
            testDescription = name
            self.apply = apply
        }
    }

    private static let changes = [
        Change("address family") { $0.addressFamily = .ipv4 },
        Change("resolved name") { $0.resolve = ["name.invalid": IPAddress("192.0.2.1")].compactMapValues(\.self) },
        Change("rule for addresses") { $0.allowsAddress = .init { _ in true } },
        Change("trust roots") { $0.trustRoots = .insecureAcceptAny },
        Change("version of TLS") { $0.minimumTLSVersion = .tls13 },
        Change("pinned keys") { $0.pinnedPublicKeys = [Data(repeating: 7, count: 32).base64EncodedString()] },
    ]

    @Test(arguments: changes) func otherOptionsHaveTheirOwnConnection(change: Change) async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .text("hello"))
        let client = server.http2Client()
        let other = HTTPRequest(.get, "/").settingOptions { change.apply(&$0.connection) }
        for request in [HTTPRequest(.get, "/"), other, HTTPRequest(.get, "/"), other] {
            #expect(try await client.response(for: request).body == Data("hello".utf8))
        }
        #expect(server.requests.map(\.connection) == [1, 2, 1, 2])
    }

    @Test func aTunnelHasItsOwnConnection() async throws {
        let (server, proxy) = (try LoopbackServer(), try TunnelProxy())
        server.on("GET", "/", .text("hello"))
        let client = server.http2Client()
        let tunnelled = HTTPRequest(.get, "/").settingOptions { $0.connection.proxy = .url(proxy.url()) }
        for request in [HTTPRequest(.get, "/"), tunnelled, tunnelled, HTTPRequest(.get, "/")] {
            let response = try await client.response(for: request)
            #expect(response.body == Data("hello".utf8) && response.version == .http2)
        }
        #expect(server.requests.map(\.connection) == [1, 2, 2, 1] && proxy.tunnels.value.count == 1)
    }

    @Test func aConnectionThatIsTooOldTakesNoMoreRequests() async throws {
        let (server, gate) = (try LoopbackServer(), Gate())
        server.on("GET", "/held", Reply(body: .chunked("a", .hold(gate), "b")))
        server.on("GET", "/", .text("hello"))
        let client = server.http2Client(transport: .init(maxConnectionAge: .milliseconds(50)))
        let held = client.subscribe(HTTPRequest(.get, "/held"))
        try await held.wait(for: "a chunk") { $0.chunkCount == 1 }
        let start = ContinuousClock.now
        while server.acceptedConnections < 2, ContinuousClock.now < start + .seconds(60) {
            #expect(try await client.response(for: HTTPRequest(.get, "/")).body == Data("hello".utf8))
        }
        gate.open()
        #expect(try await held.finished().body == Data("ab".utf8))
        // Only the last request finds the first connection too old.
        let connections = server.requests.map(\.connection)
        #expect(connections.last == 2 && connections.dropLast().allSatisfy { $0 == 1 })
        try await server.wait { $0.http2Connections.first?.isOpen == false }
    }

    @Test func aConnectionThatTheServerHasClosedIsReplaced() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", Reply.text("one").failing(with: .close(at: .afterReply)), .text("two"))
        let client = server.http2Client()
        #expect(try await client.response(for: HTTPRequest(.get, "/")).body == Data("one".utf8))
        try await server.wait { $0.openConnections == 0 }
        #expect(try await client.response(for: HTTPRequest(.get, "/")).body == Data("two".utf8))
        #expect(server.acceptedConnections == 2)
    }

    // MARK: The limit of streams

    @Test(.reservesDescriptors(80)) func theLimitOfStreamsIsObeyedOnOneConnection() async throws {
        let (server, gate) = (try LoopbackServer(http2: .init(maxConcurrentStreams: 3)), Gate())
        server.serveNumberedBodies { $0.held(by: gate) }
        let client = server.http2Client(transport: .init(maxConnectionsPerHost: 1))
        async let bodies: Void = client.expectNumberedBodies(0..<20)
        try await server.waitForRequests(3)
        gate.open()
        try await bodies
        let connection = try #require(server.http2Connections.first)
        #expect(server.acceptedConnections == 1 && connection.maxOpenStreams == 3)
        #expect(server.journal.rejections == [])
    }

    @Test(.reservesDescriptors(120)) func moreStreamsThanTheLimitUseMoreConnections() async throws {
        let (server, gate) = (try LoopbackServer(http2: .init(maxConcurrentStreams: 3)), Gate())
        server.serveNumberedBodies { $0.held(by: gate) }
        let client = server.http2Client()
        async let bodies: Void = client.expectNumberedBodies(0..<20)
        // All at once, none of which is answered.
        try await server.waitForRequests(20)
        gate.open()
        try await bodies
        #expect(server.http2Connections.count == 7)
        #expect(server.http2Connections.allSatisfy { $0.maxOpenStreams <= 3 })
        // The limit is known after the first connection.
        #expect(server.http2Connections.dropFirst().allSatisfy { $0.refusedStreams.isEmpty })
        #expect(server.journal.rejections == [])
    }

    /// One of two streams ends when the connection has become too old for the request that waits for it.
    @Test func aRequestThatWaitsForAnOldConnectionUsesAnother() async throws {
        let (server, gates) = (try LoopbackServer(http2: .init(maxConcurrentStreams: 2)), [Gate(), Gate()])
        for (number, gate) in gates.enumerated() {
            server.on("GET", "/held\(number)", Reply(body: .chunked("a", .hold(gate), "b")))
        }
        server.serveNumberedBodies()
        let client = server.http2Client(
            transport: .init(maxConnectionsPerHost: 1, maxConnectionAge: .seconds(1)))
        let held = gates.indices.map { client.subscribe(HTTPRequest(.get, "/held\($0)")) }
        for recorder in held { try await recorder.wait(for: "a chunk") { $0.chunkCount == 1 } }
        async let bodies: Void = client.expectNumberedBodies(0..<2)
        try await Task.sleep(for: .milliseconds(1200))
        gates[0].open()
        #expect(try await held[0].finished().body == Data("ab".utf8))
        gates[1].open()
        #expect(try await held[1].finished().body == Data("ab".utf8))
        try await bodies
        #expect(server.requests.map(\.connection) == [1, 1, 2, 2])
    }

    @Test func aLimitOfZeroHoldsRequestsUntilItIsRaised() async throws {
        let (server, gate) = (try LoopbackServer(), Gate())
        func limit(_ value: UInt32, at place: Fault.Place) -> Fault.HTTP2 {
            .frames([.settings([.init(Self.maxConcurrentStreams, value)])], at: place)
        }
        let reply = Reply(body: .chunked("a", .hold(gate), "b"))
            .failing(with: limit(0, at: .beforeHead)).failing(with: limit(2, at: .inBody(after: 2)))
        server.on("GET", "/limits", reply)
        server.serveNumberedBodies()
        let client = server.http2Client(transport: .init(maxConnectionsPerHost: 1))
        let first = client.subscribe(HTTPRequest(.get, "/limits"))
        try await first.wait(for: "a chunk") { $0.chunkCount == 1 }
        async let bodies: Void = client.expectNumberedBodies(0..<6)
        try await Task.sleep(for: .milliseconds(200))
        #expect(server.requests.count == 1)
        gate.open()
        try await bodies
        #expect(try await first.finished().body == Data("ab".utf8))
        #expect(server.acceptedConnections == 1)
        #expect(server.http2Connections.allSatisfy { $0.maxOpenStreams <= 2 })
    }
}
