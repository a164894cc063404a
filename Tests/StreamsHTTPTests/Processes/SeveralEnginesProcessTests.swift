import Dispatch
import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

#if os(Linux)
import Glibc

/// The threads of a transport with several engines, and its descriptors, in processes of their own.
@Suite(.serialized, .reservesDescriptors) struct SeveralEnginesProcessTests {
    @Test func endsEachThreadAfterItsExchanges() async {
        await #expect(processExitsWith: .success) {
            var setUp: EngineServers? = try EngineServers(.init(engineCount: 3))
            let (servers, gate) = (try #require(setUp?.servers), Gate())
            #expect(try await engineThreadCount(reaching: 3) == 3)
            var client: HTTPClient? = setUp?.client()
            for server in servers { try await setUp?.hold(1, at: server, by: try #require(client)) }
            servers[1].on("GET", "/last", .text("last").held(by: gate))
            let last = Task { [client] in await client?.outcome(of: servers[1].url("/last")) }
            try await servers[1].wait { $0.requests.last?.path == "/last" }
            (client, setUp) = (nil, nil)
            // The task has the client, and so the transport.
            #expect(try await engineThreadCount(reaching: 3) == 3)
            gate.open()
            #expect(await last.value == "last")
            for server in servers { try await server.wait { $0.openConnections == 0 } }
            #expect(try await engineThreadCount(reaching: 0) == 0)
        }
    }

    /// The transport is released, and the other engines end.
    @Test func theOtherThreadsEndWhileAnExchangeGoesOn() async {
        await #expect(processExitsWith: .success) {
            var setUp: EngineServers? = try EngineServers(.init(engineCount: 3))
            let (server, gate, recorder) = (try #require(setUp?.servers[1]), Gate(), TransportRecorder())
            server.on("GET", "/", .text("last").held(by: gate))
            let url = try #require(URL(string: server.url("/")))
            _ = setUp?.transport.start(TransportRequest(method: .get, url: url), delivering: recorder)
            try await server.waitForRequests(1)
            #expect(try await engineThreadCount(reaching: 3) == 3)
            setUp = nil
            #expect(try await engineThreadCount(reaching: 1) == 1)
            gate.open()
            #expect(try await recorder.ended().body == Data("last".utf8))
            #expect(try await engineThreadCount(reaching: 0) == 0)
        }
    }

    @Test func aChildStartsEnginesOfItsOwn() async {
        await #expect(processExitsWith: .exitCode(7)) {
            typealias Fork = @convention(c) () -> pid_t
            let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: Fork.self)
            let setUp = try EngineServers(.init(engineCount: 2))
            for server in setUp.servers { server.otherwise { [port = server.port] in .text("\(port)\($0.path)") } }
            for server in setUp.servers { try await setUp.hold(2, at: server, by: setUp.client()) }
            // None of the parent's exchanges is under way.
            let child = fork()
            if child == 0 { _exit(isServed(by: setUp) ? 7 : 1) }
            var status: CInt = 0
            try #require(waitpid(child, &status, 0) == child)
            for server in setUp.servers {
                #expect(await setUp.client().outcome(of: server.url("/parent")) == "\(server.port)/parent")
                #expect(server.requests.filter { $0.path == "/child" }.count == 1)
            }
            exit(status >> 8)
        }
    }

    @Test(.reservesDescriptors(160)) func closesIdleConnectionsOfAnotherEngine() async {
        await #expect(processExitsWith: .success) {
            try limitDescriptors(to: 256)
            // All descriptors are reserved, so that the transport has an eighth of them.
            let setUp = try EngineServers(.init(reservedDescriptors: 256, engineCount: 2))
            let (client, first, second) = (setUp.client(), setUp.servers[0], setUp.servers[1])
            try await setUp.hold(32, at: first, by: client)
            #expect(first.openConnections == 32)
            // One after another, and many at once.
            try await setUp.hold(1, at: second, by: client)
            try await first.wait { $0.openConnections == 31 }
            try await setUp.hold(32, at: second, by: client)
            try await first.wait { $0.openConnections == 0 }
            #expect(second.acceptedConnections == 32)
            try await setUp.hold(16, at: first, by: client)
            #expect(first.acceptedConnections == 48)
            #expect(setUp.transport.connections.map(\.open).reduce(0, +) == 32)
        }
    }

    /// The limit of connections is that of the transport, and a request that waits has the next descriptor that an
    /// exchange of the other engine leaves.
    @Test(.reservesDescriptors(160)) func waitsForTheExchangesOfAnotherEngine() async {
        await #expect(processExitsWith: .success) {
            try limitDescriptors(to: 256)
            let setUp = try EngineServers(.init(reservedDescriptors: 256, engineCount: 2))
            let (client, first, second) = (setUp.client(), setUp.servers[0], setUp.servers[1])
            let gates = (0..<32).map { _ in Gate() }
            first.otherwise { request in
                let number = Int(request.path.dropFirst()) ?? 0
                return .text(request.path).held(by: gates[number])
            }
            second.otherwise { .text($0.path) }
            let held = (0..<32).map { number in Task { await client.outcome(of: first.url("/\(number)")) } }
            try await first.waitForRequests(32)
            #expect(
                await setUp.client(connectTimeout: .milliseconds(200)).outcome(of: second.url("/hasty"))
                    == "connection.resource-exhausted")
            let waiting = (0..<3).map { number in Task { await client.outcome(of: second.url("/\(number)")) } }
            try await client.waitForRequests(3, at: .descriptor)
            #expect(second.acceptedConnections == 0)
            gates[5].open()
            #expect(await held[5].value == "/5")
            for (number, task) in waiting.enumerated() { #expect(await task.value == "/\(number)") }
            #expect(first.openConnections == 31)
            for gate in gates { gate.open() }
            for (number, task) in held.enumerated() { #expect(await task.value == "/\(number)") }
        }
    }

    /// Each of two engines has more requests than there are descriptors.
    @Test func servesTheEnginesInTurn() async {
        await #expect(processExitsWith: .success) {
            try limitDescriptors(to: 72)
            let (lanes, rounds) = (80, 20)
            let transport = CurlTransport(configuration: .init(engineCount: 2))
            let servers = try transport.elements(2, by: \.port) { try BacklogServer() }
            for server in servers { server.answer(lanes * rounds / 2) }
            let client = HTTPClient(
                configuration: .init(options: .with { $0.timeouts.connect = .seconds(60) }), transport: transport)
            let finished = Watched([Int](repeating: 0, count: lanes))
            let fewest = Watched<Int?>(nil)
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<lanes {
                    group.addTask {
                        for _ in 0..<rounds {
                            #expect(await client.outcome(of: servers[lane % 2].url) == "ok")
                            finished.update { $0[lane] += 1 }
                        }
                        fewest.update { $0 = $0 ?? finished.value.min() }
                    }
                }
            }
            // When one has made all its requests, none still waits for its first.
            #expect(fewest.value ?? 0 > 0)
        }
    }

    /// A further engine needs descriptors itself. Without one, its exchanges wait in an engine that runs.
    @Test func anEngineThatCannotStartIsReplaced() async {
        await #expect(processExitsWith: .success) {
            try limitDescriptors(to: 256)
            let transport = CurlTransport(configuration: .init(engineCount: 2))
            let servers = try (0..<2).map { _ in try BacklogServer() }
            for server in servers { server.answer(2) }
            let client = HTTPClient(
                configuration: .init(options: .with { $0.timeouts.connect = .seconds(60) }), transport: transport)
            #expect(await client.outcome(of: servers[0].url) == "ok")
            _ = try await ProcessCensus.first()
            var taken: [CInt] = []
            while true {
                let descriptor = fcntl(0, F_DUPFD_CLOEXEC, 0)
                guard descriptor >= 0 else { break }
                taken.append(descriptor)
            }
            let late = Task { await client.outcome(of: servers[1].url) }
            try await client.waitForPlaces([.descriptor])
            for descriptor in taken { close(descriptor) }
            #expect(await late.value == "ok")
            for server in servers { #expect(await client.outcome(of: server.url) == "ok") }
            #expect(try await engineThreadCount(reaching: 1) == 1)
        }
    }
}

/// Sends a request to each server without the concurrency runtime, whose threads a child does not have.
private func isServed(by setUp: EngineServers) -> Bool {
    setUp.servers.allSatisfy { server in
        guard let url = URL(string: server.url("/child")) else { return false }
        let body = Locked(Data())
        let isOver = DispatchSemaphore(value: 0)
        let recorder = TransportRecorder { event in
            switch event {
            case .chunk(let chunk, _): body.withLock { $0 += chunk }
            case .finished, .failed: isOver.signal()
            default: break
            }
        }
        _ = setUp.transport.start(TransportRequest(method: .get, url: url), delivering: recorder)
        guard isOver.wait(timeout: .now() + .seconds(60)) == .success else { return false }
        return body.withLock { $0 } == Data("\(server.port)/child".utf8)
    }
}

private func limitDescriptors(to count: Int) throws {
    var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
}

/// The number of the engines' threads of this process.
private func engineThreadCount() -> Int {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.count { thread in
        (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) == "streams-engine\n"
    }
}

/// Waits until there are as many threads of engines as expected, for a generous time. A thread takes its name after its
/// start, and nothing tells of its end.
private func engineThreadCount(reaching expected: Int) async throws -> Int {
    let deadline = ContinuousClock.now + .seconds(45)
    while engineThreadCount() != expected, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(20))
    }
    return engineThreadCount()
}
#endif
