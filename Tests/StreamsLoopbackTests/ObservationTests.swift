import StreamsLoopback
import Testing

/// Waiting for conditions.
@Suite(.serialized) struct ObservationTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test func requestsCanBeWaitedForFromBeforeTheyArrive() async throws {
        server.on("GET", "/", .status(204))
        let port = server.port
        async let requests = server.waitForRequests(3)
        let client = try RawClient(port: port)
        for _ in 0..<3 {
            client.send(request("GET", "/"))
            _ = client.readHead()
        }
        #expect(try await requests.count == 3)
    }

    @Test func waitingEndsWithItsTime() async throws {
        let start = ContinuousClock.now
        await #expect(throws: LoopbackError.self) { try await server.waitForRequests(1, within: .milliseconds(30)) }
        #expect(ContinuousClock.now - start >= .milliseconds(30))
    }

    @Test func waitingEndsWithItsTask() async throws {
        let server = server
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            try await server.wait(within: .seconds(60)) { _ in
                look.yield()
                return false
            }
        }
        for await _ in looks { break }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func aConditionsErrorEndsTheWait() async throws {
        struct Odd: Error {}
        await #expect(throws: Odd.self) { try await server.wait { _ in throw Odd() } }
    }

    @Test(arguments: [
        Reply().delayed(by: .seconds(60)), Reply().held(by: Gate()), Reply().failing(with: .stall(at: .beforeHead)),
        Reply.text("text").failing(with: .stall(at: .inBody(after: 2))),
        Reply.generated(1 << 40), Reply.text("text").failing(with: .drip(every: .seconds(60))),
    ])
    func aClientThatLeavesBeforeTheEndIsNoticed(reply: Reply) async throws {
        server.on("GET", "/", reply)
        do {
            let client = try RawClient(port: server.port)
            client.send(request("GET", "/"))
            try await server.wait { [.waiting, .blocked].contains($0.requests.first?.state) }
        }
        #expect(try await server.waitForDisconnection(of: 1).state == .disconnected)
        try await server.wait { $0.openConnections == 0 }
    }

    @Test func aReplyThatWasCompleteCannotBeDisconnected() async throws {
        server.on("GET", "/", .status(204))
        let client = try RawClient(port: server.port)
        client.send(request("GET", "/"))
        await #expect(throws: LoopbackError.self) { try await server.waitForDisconnection(within: .seconds(20)) }
        await #expect(throws: LoopbackError.self) { try await server.waitForBackPressure(within: .seconds(20)) }
    }

    @Test(arguments: [Reply.Body.Framing.length, .chunked])
    func aSlowReaderHoldsTheServerBack(framing: Reply.Body.Framing) async throws {
        let limits = LoopbackServer.Limits(socketBuffers: 32 * 1024)
        let server = try LoopbackServer(limits: limits)
        server.on("GET", "/", .generated(1 << 40, framing: framing))
        let client = try RawClient(port: server.port, receiveBuffer: 32 * 1024)
        client.send(request("GET", "/"))
        let held = try await server.waitForBackPressure(lasting: .milliseconds(100))
        #expect(held.state == .blocked)
        #expect(held.bytesWritten < 1 << 20)
        #expect(server.bytesWritten == held.bytesWritten)

        // Reading on lets the server go on by about as much, and no further.
        _ = client.read(exactly: 4 << 20)
        let later = try await server.wait { $0.bytesWritten > held.bytesWritten + 3 << 20 }
        #expect(later.bytesWritten < 6 << 20)
        let heldAgain = try await server.waitForBackPressure(lasting: .milliseconds(100))
        #expect(heldAgain.bytesWritten < 6 << 20)
    }

    @Test func connectionsAreCounted() async throws {
        var clients = try (0..<3).map { _ in try RawClient(port: server.port) }
        try await server.wait { $0.openConnections == 3 }
        clients.removeLast()
        let journal = try await server.wait { $0.openConnections == 2 }
        #expect(journal.acceptedConnections == 3)
        #expect(clients.count == 2)
    }
}
