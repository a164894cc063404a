import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// The limits and promises of a transport hold for all of its engines together.
@Suite(.reservesDescriptors(60)) struct SeveralEnginesTests {
    @Test(arguments: [(1, 1), (3, 1), (4, 1), (7, 1), (8, 2), (16, 4), (31, 7), (32, 8), (192, 8)])
    func hasAnEngineForFourCores(cores: Int, engineCount: Int) {
        #expect(EngineSet.count(forCores: cores) == engineCount)
    }

    /// Returns the thread that delivers the events of an exchange.
    private func thread(of url: String, by transport: CurlTransport) async throws -> pthread_t {
        let threads = Locked<Set<pthread_t>>([])
        let recorder = TransportRecorder { _ in _ = threads.withLock { $0.insert(pthread_self()) } }
        let request = TransportRequest(method: .get, url: try #require(URL(string: url)))
        _ = transport.start(request, delivering: recorder)
        #expect(try await recorder.ended().body == Data(url.utf8))
        let found = threads.withLock { $0 }
        #expect(found.count == 1)
        return try #require(found.first)
    }

    private func start(_ count: Int) throws -> [LoopbackServer] {
        try (0..<count).map { _ in
            let server = try LoopbackServer()
            server.otherwise { [port = server.port] in .text("http://127.0.0.1:\(port)\($0.target)") }
            return server
        }
    }

    @Test(arguments: [(-1, 1), (0, 1), (1, 1), (2, 2), (3, 3)])
    func eachDestinationHasOneThread(engineCount: Int, threadCount: Int) async throws {
        let transport = CurlTransport(configuration: .init(engineCount: engineCount))
        let servers = try start(8)
        var threads: [Int: Set<pthread_t>] = [:]
        for number in 0..<5 {
            for server in servers {
                let thread = try await thread(of: server.url("/\(number)"), by: transport)
                threads[server.port, default: []].insert(thread)
            }
        }
        #expect(threads.values.allSatisfy { $0.count == 1 })
        #expect(Set(threads.values.joined()).count == threadCount)
        for server in servers { #expect(server.acceptedConnections == 1) }
    }

    @Test func startsNoMoreEnginesThanDestinations() async throws {
        let transport = CurlTransport(configuration: .init(engineCount: 3))
        let server = try #require(try start(1).first)
        for number in 0..<4 { _ = try await thread(of: server.url("/\(number)"), by: transport) }
        #expect(transport.engines.withLock { $0.running.count } == 1)
    }

    /// Every request is sent once, and those that are cancelled at most once.
    @Test(.reservesDescriptors(200), arguments: [2, 3])
    func servesManyOriginsAtOnce(engineCount: Int) async throws {
        let setUp = try EngineServers(.init(engineCount: engineCount))
        let servers = setUp.servers + (try (0..<3).map { _ in try LoopbackServer() })
        for server in servers { server.otherwise { [port = server.port] in .text("\(port) \($0.path) \($0.text)") } }
        let client = setUp.client()
        let cancelled = Watched<Set<String>>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (lane, server) in (servers + servers + servers).enumerated() {
                group.addTask {
                    for number in 0..<60 {
                        let (path, text) = ("/\(lane)/\(number)", String(repeating: "\(number) ", count: number * 9))
                        let request = HTTPRequest(.post, server.url(path), body: .text(text))
                        let task = Task { try await client.response(for: request).text() }
                        if number % 5 == lane % 5 {
                            cancelled.update { _ = $0.insert(server.url(path)) }
                            if number % 2 == 0 { await Task.yield() }
                            task.cancel()
                        }
                        let body = try? await task.value
                        #expect(body == "\(server.port) \(path) \(text)" || cancelled.value.contains(server.url(path)))
                    }
                }
            }
            try await group.waitForAll()
        }
        for (number, server) in servers.enumerated() {
            let counts = server.requests.reduce(into: [:]) { $0[$1.path, default: 0] += 1 }
            for lane in stride(from: number, to: servers.count * 3, by: servers.count) {
                for path in (0..<60).map({ "/\(lane)/\($0)" }) {
                    let isCancelled = cancelled.value.contains(server.url(path))
                    #expect(counts[path] == 1 || isCancelled && counts[path] == nil, "\(path)")
                }
            }
        }
    }

    @Test func limitsConnectionsToEachHost() async throws {
        let setUp = try EngineServers(.init(maxConnectionsPerHost: 2, engineCount: 2))
        let (client, gate) = (setUp.client(), Gate())
        for server in setUp.servers { server.otherwise { .text($0.path).held(by: gate) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for server in setUp.servers {
                for number in 0..<10 {
                    group.addTask { #expect(await client.outcome(of: server.url("/\(number)")) == "/\(number)") }
                }
            }
            for server in setUp.servers { try await server.wait { $0.requests.count == 2 } }
            try await client.waitForRequests(16, at: .connection)
            #expect(setUp.transport.connections.map(\.exchanges) == [2, 2])
            gate.open()
            try await group.waitForAll()
        }
        #expect(setUp.servers.map(\.acceptedConnections) == [2, 2])
    }

    /// The oldest are closed, whichever engine they belong to.
    @Test func limitsIdleConnectionsOfAllEngines() async throws {
        let setUp = try EngineServers(.init(maxIdleConnections: 3, engineCount: 2))
        let (client, first, second) = (setUp.client(), setUp.servers[0], setUp.servers[1])
        try await setUp.hold(5, at: first, by: client)
        try await first.wait { $0.openConnections == 3 }
        try await setUp.hold(1, at: second, by: client)
        try await first.wait { $0.openConnections == 2 }
        try await setUp.hold(3, at: second, by: client)
        try await first.wait { $0.openConnections == 0 }
        #expect(second.openConnections == 3 && second.acceptedConnections == 3)
        // A connection that is used is not idle, so that there is room for another one.
        let gate = Gate()
        second.on("GET", "/busy", .text("busy").held(by: gate))
        async let busy = client.outcome(of: second.url("/busy"))
        try await second.wait { $0.requests.last?.path == "/busy" }
        try await setUp.hold(1, at: first, by: client)
        #expect(first.openConnections == 1 && second.openConnections == 3)
        gate.open()
        #expect(await busy == "busy")
        try await second.wait { $0.openConnections == 2 }
        try await setUp.hold(1, at: first, by: client)
        try await setUp.hold(2, at: second, by: client)
        #expect(first.acceptedConnections == 6 && second.acceptedConnections == 3)
    }

    @Test func countsTheConnectionsOfAllEngines() async throws {
        let setUp = try EngineServers(.init(engineCount: 2))
        let (client, server, proxy) = (setUp.client(), setUp.servers[0], setUp.servers[1])
        for server in setUp.servers { server.otherwise { _ in .text("ok") } }
        let options = RequestOptions.with { $0.connection.proxy = .url(proxy.url("")) }
        #expect(await client.outcome(of: server.url("/")) == "ok")
        #expect(await client.outcome(of: server.url("/"), options: options) == "ok")
        #expect(await client.outcome(of: proxy.url("/")) == "ok")
        #expect(server.requests.count == 1 && proxy.requests.count == 2)
        let counts = setUp.transport.connections.sorted { $0.opened > $1.opened }
        #expect(counts.map(\.origin) == [server, proxy].map { "http://127.0.0.1:\($0.port)" })
        #expect(counts.map(\.open) == [2, 1] && counts.map(\.opened) == [2, 1] && counts.map(\.reused) == [0, 0])
    }
}
