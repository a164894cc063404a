import Dispatch
import StreamsLoopback
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The release of a server's resources.
@Suite(.serialized) struct LifetimeTests {
    @Test func stoppingEndsEveryKindOfConnectionPromptly() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.on("GET", "/delayed", Reply().delayed(by: .seconds(600)))
        server.on("GET", "/held", Reply().held(by: gate))
        server.on("GET", "/stalled", Reply().failing(with: .stall(at: .beforeHead)))
        server.on("GET", "/endless", .generated(1 << 50))
        server.on("GET", "/dripping", Reply.generated(1 << 50).failing(with: .drip(every: .zero)))
        server.on("POST", "/paced", intake: .paced(bytes: 1, every: .seconds(600)), Reply())
        server.on("POST", "/uploading", Reply())
        let paths = ["/delayed", "/held", "/stalled", "/endless", "/dripping"]
        let lines =
            paths.map { request("GET", $0) }
            + ["/paced", "/uploading"].map {
                request("POST", $0, "Content-Length: 10") + "123"
            }
        let clients = try (lines + ["GET / HT", ""]).map { text in
            let client = try RawClient(port: server.port)
            client.send(text)
            return client
        }
        try await server.wait { $0.requests.count == lines.count && $0.openConnections == clients.count }
        let start = ContinuousClock.now
        server.stop()
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(server.openConnections == 0)
        #expect(server.requests.allSatisfy { $0.state == .stopped })
        for client in clients { #expect(client.drain(1 << 30) { _, _ in true }.count < 1 << 30) }
    }

    /// A client that goes on sending to a connection that is to end is left after a moment.
    @Test(.timeLimit(.minutes(1))) func aClientThatNeverStopsSendingIsLeft() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .text("enough"))
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "endless client").async { [port = server.port] in
                continuation.resume(
                    with: Result {
                        let client = try RawClient(port: port)
                        client.send(request("GET", "/", "Connection: close"))
                        let more = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
                        while client.send(more) == more.count {}
                    })
            }
        }
        try await server.wait { $0.openConnections == 0 }
    }

    // In a process of its own: 400 descriptors, together with those of other tests, can exceed the usual limit of 1,024.
    @Test func hundredsOfConnectionsAreServedAtOnceAndReleased() async {
        await #expect(processExitsWith: .success) {
            let count = 200
            let server = try LoopbackServer()
            let gate = Gate()
            server.on("GET", "/", Reply.text("here").held(by: gate))
            var clients: [RawClient] = []
            for _ in 0..<count {
                let client = try RawClient(port: server.port)
                client.send(request("GET", "/", "Connection: close"))
                clients.append(client)
            }
            try await server.wait(within: .seconds(60)) { journal in
                journal.requests.count == count && journal.requests.allSatisfy { $0.state == .waiting }
            }
            #expect(server.openConnections == count)
            gate.open()
            for client in clients { #expect(client.readText().text.hasSuffix("\r\n\r\nhere")) }
            clients.removeAll()
            try await server.wait { $0.openConnections == 0 }
            #expect(server.requests.allSatisfy { $0.state == .replied })
        }
    }

    #if os(Linux)
    // In a process of its own, as others' descriptors come and go with the tests beside it.
    @Test func stoppingReleasesDescriptorsAndThreads() async {
        await #expect(processExitsWith: .success) {
            // The first time brings up what the runtime keeps for itself.
            try await Self.serveMany()
            let before = Usage.now()
            for _ in 0..<20 { try await Self.serveMany() }
            // The runtime may have added a worker or two; the servers had a thousand threads and two thousand
            // descriptors.
            #expect(Usage.falls(to: Usage(descriptors: before.descriptors + 5, threads: before.threads + 5)))
        }
    }

    private static func serveMany() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", Reply().held(by: Gate()))
        let clients = try (0..<50).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send(request("GET", "/")) }
        try await server.wait { $0.requests.count == 50 && $0.requests.allSatisfy { $0.state == .waiting } }
        let during = Usage.now()
        #expect(during.threads > 50)
        #expect(during.descriptors > 100)
        server.stop()
        #expect(during.descriptors - Usage.now().descriptors >= 50)
        withExtendedLifetime(clients) {}
    }
    #endif

    /// A path, as a port that is free again may be another server's at once.
    private static func socketPath() -> String {
        "/tmp/streams-loopback-\(UInt64.random(in: 0 ... .max)).socket"
    }

    @Test func stoppingTwiceAndConcurrentlyIsHarmless() async throws {
        let path = Self.socketPath()
        let server = try LoopbackServer(on: .unixSocket(path: path))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { server.stop() } }
        }
        server.stop()
        #expect(throws: RawClient.Failure.self) { try RawClient(path: path) }
    }

    @Test func releasingAServerStopsIt() async throws {
        let path = Self.socketPath()
        var server: LoopbackServer? = try LoopbackServer(on: .unixSocket(path: path))
        server?.on("GET", "/", Reply().failing(with: .stall(at: .beforeHead)))
        let client = try RawClient(path: path)
        client.send(request("GET", "/"))
        try await server?.waitForRequests(1)
        server = nil
        #expect(client.readAll().end != .silent)
        #expect(throws: RawClient.Failure.self) { try RawClient(path: path) }
    }

    @Test func aHandlerMayStopItsServer() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/") { _ in
            server.stop()
            return .text("too late")
        }
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/"))
        #expect(client.readText().text.isEmpty)
        try await server.wait { $0.openConnections == 0 }
        #expect(server.requests[0].state == .stopped)
    }

    @Test func stoppingReleasesTheHandlers() throws {
        final class Token: Sendable {}
        weak var released: Token?
        let server = try LoopbackServer()
        do {
            let token = Token()
            released = token
            server.on("GET", "/") { _ in withExtendedLifetime(token) { .status(200) } }
            server.otherwise { _ in withExtendedLifetime(token) { .status(200) } }
        }
        #expect(released != nil)
        server.stop()
        #expect(released == nil)
    }
}

#if os(Linux)
/// The process's open descriptors and threads.
private struct Usage {
    let descriptors: Int
    let threads: Int

    static func now() -> Usage {
        Usage(descriptors: entries(of: "/proc/self/fd"), threads: entries(of: "/proc/self/task"))
    }

    /// Looks until no more is in use than before, yielding to the threads on their way out, for a few seconds at most.
    static func falls(to before: Usage) -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            let now = now()
            if now.descriptors <= before.descriptors, now.threads <= before.threads { return true }
            sched_yield()
        }
        return false
    }

    private static func entries(of folder: String) -> Int {
        guard let directory = opendir(folder) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }
}
#endif
